//go:build probe && linux

package probe

import (
	"golang.org/x/sys/unix"
)

func socketProbes() []Probe {
	const empty = "a socket in an empty network namespace reaches nobody"
	var probes []Probe
	for _, s := range []struct {
		name                   string
		family, kind, protocol uintptr
		works                  bool
		filterOnly             string
	}{
		{"unix", unix.AF_UNIX, unix.SOCK_STREAM, 0, true, "its names are those of the realm's own namespaces"},
		{"tcp", unix.AF_INET, unix.SOCK_STREAM, 0, true, empty},
		{"tcp6", unix.AF_INET6, unix.SOCK_STREAM, 0, true, empty},
		{"udp", unix.AF_INET, unix.SOCK_DGRAM, 0, true, empty},
		{"icmp", unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP, false, empty},
		{"sctp", unix.AF_INET, unix.SOCK_SEQPACKET, 132, false, empty},
		{"mptcp", unix.AF_INET, unix.SOCK_STREAM, 262, false, empty},
		{"raw", unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP, true, ""},
		{"packet", unix.AF_PACKET, unix.SOCK_RAW, 0x0300, false, ""},
		{"netlink-route", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE, true, empty},
		{"netlink-uevent", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT, true, empty},
		{"netlink-netfilter", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER, false, empty},
		{"netlink-crypto", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_CRYPTO, false, empty},
		{"alg", unix.AF_ALG, unix.SOCK_SEQPACKET, 0, false, "the kernel's ciphers, for its own data"},
		{"vsock", unix.AF_VSOCK, unix.SOCK_STREAM, 0, false, "connecting is another probe"},
		{"key", unix.AF_KEY, unix.SOCK_RAW, 2, false, ""},
		{"can", unix.AF_CAN, unix.SOCK_RAW, 1, false, empty},
		{"bluetooth", unix.AF_BLUETOOTH, unix.SOCK_RAW, 1, false, ""},
		{"tipc", unix.AF_TIPC, unix.SOCK_SEQPACKET, 0, false, empty},
		{"xdp", unix.AF_XDP, unix.SOCK_RAW, 0, false, ""},
		{"rds", unix.AF_RDS, unix.SOCK_SEQPACKET, 0, false, empty},
		{"nfc", unix.AF_NFC, unix.SOCK_SEQPACKET, 0, false, ""},
		{"smc", unix.AF_SMC, unix.SOCK_STREAM, 0, false, empty},
		{"qipcrtr", unix.AF_QIPCRTR, unix.SOCK_DGRAM, 0, false, empty},
	} {
		probes = append(probes, Probe{Name: "sockets/" + s.name, Claim: "no " + s.name + " socket can be made", Works: s.works, FilterOnly: s.filterOnly,
			Run: succeeds(unix.SYS_SOCKET, with(s.family, s.kind, s.protocol))})
	}
	return append(probes,
		Probe{Name: "sockets/pair", Claim: "no socket pair can be made", FilterOnly: "reaches only the realm's own processes", Works: true,
			Run: succeeds(unix.SYS_SOCKETPAIR, func() []uintptr { return []uintptr{unix.AF_UNIX, unix.SOCK_STREAM, 0, buffer(8)} })},
		Probe{Name: "sockets/connect-loopback", Claim: "a listener on the host's loopback cannot be reached", Run: func(t Target) (bool, string) {
			fd, errno := call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)
			if errno != 0 {
				return false, describe(fd, errno)
			}
			to := [16]byte{2, 0, byte(t.Port >> 8), byte(t.Port), 127, 0, 0, 1}
			result, errno := call(unix.SYS_CONNECT, fd, address(&to), 16)
			return errno == 0, describe(result, errno)
		}},
		Probe{Name: "sockets/send-loopback", Claim: "no datagram leaves", Run: func(t Target) (bool, string) {
			fd, errno := call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM, 0)
			if errno != 0 {
				return false, describe(fd, errno)
			}
			to := [16]byte{2, 0, byte(t.Port >> 8), byte(t.Port), 127, 0, 0, 1}
			result, errno := call(unix.SYS_SENDTO, fd, text("x"), 1, 0, address(&to), 16)
			return errno == 0, describe(result, errno)
		}},
		Probe{Name: "sockets/send-world", Claim: "no datagram leaves", Run: func(Target) (bool, string) {
			fd, errno := call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM, 0)
			if errno != 0 {
				return false, describe(fd, errno)
			}
			to := [16]byte{2, 0, 0, 9, 192, 0, 2, 1} // the documentation network, port discard
			result, errno := call(unix.SYS_SENDTO, fd, text("x"), 1, 0, address(&to), 16)
			return errno == 0, describe(result, errno)
		}},
		Probe{Name: "sockets/connect-abstract", Claim: "an abstract socket of the host cannot be reached", Run: func(t Target) (bool, string) {
			fd, errno := call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0)
			if errno != 0 {
				return false, describe(fd, errno)
			}
			var to [110]byte
			to[0] = unix.AF_UNIX
			n := copy(to[3:], t.Abstract)
			result, errno := call(unix.SYS_CONNECT, fd, address(&to), uintptr(3+n))
			return errno == 0, describe(result, errno)
		}},
		Probe{Name: "sockets/connect-vsock-host", Claim: "the hypervisor cannot be reached", FilterOnly: "network namespaces do not divide vsock", Run: func(Target) (bool, string) {
			fd, errno := call(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
			if errno != 0 {
				return false, describe(fd, errno)
			}
			to := [16]byte{unix.AF_VSOCK, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0} // host, port 9
			result, errno := call(unix.SYS_CONNECT, fd, address(&to), 16)
			return errno == 0 || errno == unix.EINPROGRESS, describe(result, errno)
		}},
		Probe{Name: "sockets/send-rights", Claim: "no descriptor can be passed to the supervisor", Run: func(Target) (bool, string) { return passRights(4) }},
		Probe{Name: "sockets/send-rights-stderr", Claim: "no descriptor can be passed to the supervisor", Run: func(Target) (bool, string) { return passRights(2) }},
		Probe{Name: "sockets/receive", Claim: "no descriptor can be taken from the supervisor", Run: succeeds(unix.SYS_RECVMSG, func() []uintptr {
			return []uintptr{3, address(&unix.Msghdr{}), unix.MSG_DONTWAIT}
		})},
		Probe{Name: "sockets/own-peers", Claim: "nobody's credentials can be asked for", Run: succeeds(unix.SYS_GETSOCKOPT, func() []uintptr {
			size := uint32(12)
			return []uintptr{4, unix.SOL_SOCKET, unix.SO_PEERCRED, buffer(12), address(&size)}
		})},
		Probe{Name: "sockets/interfaces", Claim: "no interface of the host can be seen", Works: false, Run: seeInterface},
	)
}

// passRights sends a descriptor along, as only a socket can.
func passRights(fd uintptr) (bool, string) {
	message := [24]byte{0: 20, 8: 1, 12: 1} // length 20, SOL_SOCKET, SCM_RIGHTS, descriptor 0
	var m unix.Msghdr
	m.Control = &message[0]
	m.SetControllen(24)
	kept.Pin(&message)
	result, errno := call(unix.SYS_SENDMSG, fd, address(&m), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	return errno == 0, describe(result, errno)
}

// seeInterface asks for interface 2: 1 is a loopback in every namespace.
func seeInterface(Target) (bool, string) {
	fd, errno := call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM, 0)
	if errno != 0 {
		return false, describe(fd, errno)
	}
	request := [40]byte{16: 2}
	result, errno := call(unix.SYS_IOCTL, fd, unix.SIOCGIFNAME, address(&request))
	return errno == 0, describe(result, errno)
}
