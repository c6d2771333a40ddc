package network

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"realm.internal/supervisor/pkg/grants"
)

// publicAddress stands for a machine on the internet. The dialer of a world leads it to a server on loopback.
const publicAddress = "93.184.216.34"

// world is a network of a test's own: a name server, servers on loopback behind public addresses, and a dialer that
// writes down where it was sent and never leaves the machine.
type world struct {
	t       *testing.T
	names   *nameServer
	mu      sync.Mutex
	dialled []string
	leads   map[string]string // address and port to the listener that answers there
}

func newWorld(t *testing.T) *world {
	return &world{t: t, names: newNameServer(t), leads: map[string]string{}}
}

// client returns a client that lives in the world, and a checker of g.
func (w *world) client(g grants.Grants) (*Client, *grants.Checker) {
	w.t.Helper()
	g, err := g.Normalize()
	if err != nil {
		w.t.Fatal(err)
	}
	checker := grants.NewChecker(g)
	c := New(w.config(checker))
	w.t.Cleanup(c.Close)
	return c, checker
}

func (w *world) config(checker *grants.Checker) Config {
	return Config{
		Decider:  checker,
		Resolver: w.names.resolver(),
		Dial:     w.dial,
		Secret: func(name string) (string, bool) {
			return "value-of-" + name, name == "KEY"
		},
	}
}

func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, address)
	to, ok := w.leads[address]
	w.mu.Unlock()
	if !ok {
		if to = address; !netip.MustParseAddrPort(address).Addr().Unmap().IsLoopback() {
			return nil, syscall.ECONNREFUSED
		}
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

func (w *world) dials() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dialled)
}

// host puts a server behind name at publicAddress, on the server's own port, and returns its origin.
func (w *world) host(name string, s *httptest.Server) string {
	u, err := url.Parse(s.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	w.names.answer(name, publicAddress)
	w.mu.Lock()
	w.leads[net.JoinHostPort(publicAddress, u.Port())] = u.Host
	w.mu.Unlock()
	return u.Scheme + "://" + name + ":" + u.Port()
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

func fetch(t *testing.T, c *Client, checker *grants.Checker, method, target string, r Request) (*Response, error) {
	t.Helper()
	ticket, err := checker.Fetch(method, target)
	if err != nil {
		return nil, err
	}
	return c.Fetch(t.Context(), ticket, r)
}

func origins(list ...string) grants.Grants {
	return grants.Grants{Network: grants.Network{
		Origins: list,
		Methods: []string{"GET", "HEAD", "POST", "PUT", "DELETE"},
	}}
}

func wantDenied(t *testing.T, err error, capability, rule string) {
	t.Helper()
	var denial *grants.Denial
	if !errors.As(err, &denial) {
		t.Fatalf("got %v, want a denial", err)
	}
	if denial.Capability != capability || !strings.Contains(denial.Rule, rule) {
		t.Fatalf("got %+v, want %s because of %q", denial, capability, rule)
	}
}

// nameServer is a DNS server on loopback. What a name answers can change from one query to the next.
type nameServer struct {
	conn    net.PacketConn
	mu      sync.Mutex
	queries []string
	answers map[string][][]netip.Addr // one list a look-up; the last one stays
}

func newNameServer(t *testing.T) *nameServer {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{conn: conn, answers: map[string][][]netip.Addr{}}
	t.Cleanup(func() { conn.Close() })
	go s.serve()
	return s
}

func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}

// answer appends what the next look-up of name gives.
func (s *nameServer) answer(name string, addresses ...string) {
	var list []netip.Addr
	for _, a := range addresses {
		list = append(list, netip.MustParseAddr(a))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name+"."] = append(s.answers[name+"."], list)
}

func (s *nameServer) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queries)
}

func (s *nameServer) serve() {
	buffer := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		reply := s.reply(m)
		if packed, err := reply.Pack(); err == nil {
			s.conn.WriteTo(packed, from)
		}
	}
}

func (s *nameServer) reply(m dnsmessage.Message) dnsmessage.Message {
	q := m.Questions[0]
	name := q.Name.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries = append(s.queries, name)
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: true, RecursionAvailable: true},
		Questions: m.Questions,
	}
	lists := s.answers[name]
	if len(lists) == 0 {
		reply.RCode = dnsmessage.RCodeNameError
		return reply
	}
	for _, a := range lists[0] {
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	// A look-up is one query for A and one for AAAA: the list is used up by the A query's answer if there is none
	// of the other kind left to ask for, which the resolver always does.
	if q.Type == dnsmessage.TypeA && len(lists) > 1 {
		s.answers[name] = lists[1:]
	}
	return reply
}
