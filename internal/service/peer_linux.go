package service

import (
	"errors"
	"fmt"
	"net"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// peer is the process that connected, as it was when it did.
type peer struct {
	uid  uint32
	gids []uint32 // primary and supplementary
}

// peerOf asks the kernel who is at the other end of a unix socket.
func peerOf(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var p peer
	ctlErr := raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err != nil {
			err = os.NewSyscallError("getsockopt SO_PEERCRED", err)
			return
		}
		p.uid = cred.Uid
		p.gids, err = peerGroups(int(fd))
		p.gids = append(p.gids, cred.Gid)
	})
	return p, errors.Join(ctlErr, err)
}

// peerGroups are the supplementary groups, see SO_PEERGROUPS in unix(7).
func peerGroups(fd int) ([]uint32, error) {
	const entry = 4 // bytes of a gid
	gids := make([]uint32, 64)
	for range 2 {
		size := uint32(len(gids) * entry)
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_PEERGROUPS,
			uintptr(unsafe.Pointer(&gids[0])), uintptr(unsafe.Pointer(&size)), 0)
		switch errno {
		case 0:
			return gids[:size/entry], nil
		case unix.ERANGE: // size says how much it takes
			gids = make([]uint32, size/entry)
		default:
			return nil, os.NewSyscallError("getsockopt SO_PEERGROUPS", errno)
		}
	}
	return nil, fmt.Errorf("the peer's groups cannot be read")
}
