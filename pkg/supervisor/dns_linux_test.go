package supervisor_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/supervisor"
)

// publicAddress stands for the internet: this test's own network has nothing else.
var publicAddress = netip.MustParseAddr("93.184.216.34")

const ownNetworkVariable = "E2E_OWN_NETWORK"

// The test executes itself again in a network of its own, whose name server it is.
//
// Cases N2, N3
func TestNamesInItsOwnNetwork(t *testing.T) {
	if os.Getenv(ownNetworkVariable) != "" {
		inOwnNetwork(t)
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), ownNetworkVariable+"=1", realmVariable+"="+realmPath)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, failuresIn(string(out)))
	}
}

func inOwnNetwork(t *testing.T) {
	network(t)
	dns := nameServer(t)
	for address, text := range map[string]string{publicAddress.String(): "public", "127.0.0.1": "private"} {
		l, err := net.Listen("tcp", net.JoinHostPort(address, "80"))
		if err != nil {
			t.Fatal(err)
		}
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })}
		go func() { _ = s.Serve(l) }()
		t.Cleanup(func() { _ = s.Close() })
	}
	get := fetching + `export default async url => (await fetchText(url)).body`

	dns.answers("rebind.example.", publicAddress, netip.MustParseAddr("127.0.0.1"))
	yields(t, `"public"`, get, origins("http://rebind.example"), args("http://rebind.example/"))
	if n := dns.asked("rebind.example."); n != 1 {
		t.Errorf("the name was looked up %d times", n)
	}
	_, e := fails(t, supervisor.ErrDenied, get, origins("http://rebind.example"), args("http://rebind.example/"))
	contains(t, e.Message, "not public")

	for _, private := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "100.64.0.1", "0.0.0.0", "224.0.0.1"} {
		name := "to-" + strings.ReplaceAll(private, ".", "-") + ".example"
		dns.answers(name+".", netip.MustParseAddr(private))
		fails(t, supervisor.ErrDenied, get, origins("http://"+name), args("http://"+name+"/"))
	}

	before := dns.total()
	for _, url := range []string{"http://ungranted.example/", "http://rebind.example.evil.example/", "https://rebind.example/", "http://secret-data.rebind.example/", "http://rebind.example:8080/"} {
		fails(t, supervisor.ErrDenied, get, origins("http://rebind.example"), args(url))
	}
	if n := dns.total() - before; n != 0 {
		t.Errorf("%d queries for names that are not granted", n)
	}
}

// network brings up lo with the public address too, and makes this process's
// name server that of the mount namespace.
func network(t *testing.T) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	set := func(name string, request uint, fill func(*unix.Ifreq) error) {
		ifr, err := unix.NewIfreq(name)
		if err == nil {
			err = fill(ifr)
		}
		if err == nil {
			err = unix.IoctlIfreq(fd, request, ifr)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	set("lo", unix.SIOCSIFFLAGS, func(i *unix.Ifreq) error { i.SetUint16(unix.IFF_UP); return nil })
	set("lo:1", unix.SIOCSIFADDR, func(i *unix.Ifreq) error { return i.SetInet4Addr(publicAddress.AsSlice()) })
	conf := write(t, t.TempDir()+"/resolv.conf", "nameserver 127.0.0.1\n")
	if err := unix.Mount(conf, "/etc/resolv.conf", "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
}

// nameService answers A queries: the first answer of a name first, its last for ever.
type nameService struct {
	mu      sync.Mutex
	known   map[string][]netip.Addr
	queries map[string]int
	all     int
}

func nameServer(t *testing.T) *nameService {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	s := &nameService{known: map[string][]netip.Addr{}, queries: map[string]int{}}
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(s.answer(buf[:n]), from)
		}
	}()
	return s
}

func (s *nameService) answers(name string, list ...netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[name] = list
}

// asked is how often the A record of name was asked for.
func (s *nameService) asked(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queries[name]
}

func (s *nameService) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

func (s *nameService) answer(query []byte) []byte {
	const header, typeA = 12, 1
	name, at := "", header
	for query[at] != 0 {
		name += string(query[at+1:at+1+int(query[at])]) + "."
		at += 1 + int(query[at])
	}
	question := query[header : at+5]
	reply := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all++
	list := s.known[name]
	if len(list) == 0 {
		reply[3] |= 3 // no such name
		return reply
	}
	if binary.BigEndian.Uint16(query[at+1:]) != typeA {
		return reply
	}
	s.queries[name]++
	if len(list) > 1 {
		s.known[name] = list[1:]
	}
	reply[7] = 1
	reply = append(reply, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4)
	return append(reply, list[0].AsSlice()...)
}
