package network

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// Covers: N2
// Covers: T-NET-01
func TestCheckedAddressIsTheDialledOne(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.Write([]byte("here"))
	})
	w := newWorld(t)
	origin := w.host("rebind.test", s) // first look-up: public
	w.names.answer("rebind.test", "127.0.0.1")
	c, checker := w.client(origins(origin))

	r, err := fetch(t, c, checker, "GET", origin+"/", Request{})
	if err != nil || string(r.Body) != "here" {
		t.Fatal(r, err)
	}
	if got := w.dials(); len(got) != 1 || !strings.HasPrefix(got[0], publicAddress+":") {
		t.Fatalf("dialled %q", got)
	}
	_, err = fetch(t, c, checker, "GET", origin+"/", Request{}) // the connection was closed: a new look-up
	wantDenied(t, err, "network", "not public")
	if got := w.dials(); len(got) != 1 {
		t.Fatalf("dialled %q", got)
	}
	if strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("%v tells the address", err)
	}
}

// Covers: N3
// Covers: T-NET-02
func TestUngrantedHostIsNeverResolved(t *testing.T) {
	w := newWorld(t)
	origin := w.host("granted.test", serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://other.test/", http.StatusFound)
	}))
	w.names.answer("other.test", publicAddress)
	c, checker := w.client(origins(origin))
	for _, target := range []string{"https://other.test/", "https://sub.granted.test/", "http://granted.test./", "http://granted.test:1/"} {
		_, err := fetch(t, c, checker, "GET", target, Request{})
		wantDenied(t, err, "network", "")
	}
	if got := w.names.asked(); len(got) != 0 {
		t.Fatalf("asked for %q", got)
	}
	_, err := fetch(t, c, checker, "GET", origin, Request{})
	wantDenied(t, err, "network", "origin")
	for _, q := range w.names.asked() {
		if q != "granted.test." {
			t.Errorf("asked for %q", q)
		}
	}
}

// Covers: T-NET-01
func TestPrivateAddressBehindNameIsRefusedUndialled(t *testing.T) {
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	_, port, _ := net.SplitHostPort(open.Addr().String())
	var texts []string
	for _, address := range []string{
		"127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
		"255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "2002:7f00:1::",
		"64:ff9b::7f00:1", "2001:db8::1",
	} {
		w := newWorld(t)
		w.names.answer("sneaky.test", address)
		for _, p := range []string{port, "1"} { // something listens at the first alone
			origin := "http://sneaky.test:" + p
			c, checker := w.client(origins(origin))
			_, err := fetch(t, c, checker, "GET", origin, Request{})
			wantDenied(t, err, "network", "not public")
			texts = append(texts, strings.ReplaceAll(err.Error(), ":"+p, ""))
		}
		if got := w.dials(); len(got) != 0 {
			t.Errorf("%s: dialled %q", address, got)
		}
	}
	for _, text := range texts {
		if text != texts[0] {
			t.Errorf("refusals differ: %q, %q", text, texts[0])
		}
	}
}

// Only localhost itself grants loopback addresses; names below it lead there, and a name server is not asked.
//
// Covers: T-NET-01
func TestNamesBelowLocalhostAreNamesOfPrivateAddresses(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("here")) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	w := newWorld(t)
	w.names.answer("app.localhost", publicAddress)
	g := origins("http://app.localhost:" + port)
	c, checker := w.client(g)
	_, err := fetch(t, c, checker, "GET", "http://app.localhost:"+port, Request{})
	wantDenied(t, err, "network", "not public")
	if got := w.dials(); len(got) != 0 {
		t.Errorf("dialled %q", got)
	}
	g.Network.PrivateHosts = []string{"app.localhost"}
	c, checker = w.client(g)
	if r, err := fetch(t, c, checker, "GET", "http://app.localhost:"+port, Request{}); err != nil || string(r.Body) != "here" {
		t.Error(r, err)
	}
	if got := w.names.asked(); len(got) != 0 {
		t.Errorf("asked for %q", got)
	}
}

// hostsFile resolves as the host's files do: names without a dot are not found with one behind them.
type hostsFile map[string]string

func (f hostsFile) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	if a, ok := f[name]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// Covers: T-NET-01
func TestANameOfTheHostsOwnNetworkIsRefusedAndNotMissing(t *testing.T) {
	for claim, c := range map[string]struct {
		name, address string
		denied        bool
	}{
		"the machine's own name":              {"vm", "127.0.0.1", true},
		"a private neighbour":                 {"printer", "10.0.0.7", true},
		"a short name of something public":    {"www", publicAddress, false},
		"a name with a dot that is not there": {"db.test", "10.0.0.7", false},
	} {
		w := newWorld(t)
		origin := "http://" + c.name
		checker := grants.NewChecker(origins(origin))
		config := w.config(checker)
		config.Resolver = hostsFile{c.name: c.address}
		client := New(config)
		t.Cleanup(client.Close)
		_, err := fetch(t, client, checker, "GET", origin, Request{})
		if c.denied {
			wantDenied(t, err, "network", "not public")
		} else if failed, ok := errors.AsType[*capability.Failure](err); !ok || failed.Code != "ENOTFOUND" {
			t.Errorf("%s: %v", claim, err)
		}
		if got := w.dials(); len(got) != 0 {
			t.Errorf("%s: dialled %q", claim, got)
		}
	}
}

func TestMixedAnswerDialsPublicAddressesOnly(t *testing.T) {
	w := newWorld(t)
	origin := w.host("mixed.test", serve(t, func(http.ResponseWriter, *http.Request) {}))
	w.names.answers["mixed.test."] = nil
	w.names.answer("mixed.test", "10.0.0.1", "127.0.0.1", publicAddress, "::1")
	c, checker := w.client(origins(origin))
	if _, err := fetch(t, c, checker, "GET", origin, Request{}); err != nil {
		t.Fatal(err)
	}
	if got := w.dials(); len(got) != 1 || !strings.HasPrefix(got[0], publicAddress) {
		t.Fatalf("dialled %q", got)
	}
}

func TestNextAddressIsTriedWhenOneRefuses(t *testing.T) {
	w := newWorld(t)
	origin := w.host("two.test", serve(t, func(http.ResponseWriter, *http.Request) {}))
	w.names.answers["two.test."] = nil
	w.names.answer("two.test", "8.8.4.4", publicAddress)
	c, checker := w.client(origins(origin))
	if _, err := fetch(t, c, checker, "GET", origin, Request{}); err != nil {
		t.Fatal(err)
	}
}

func TestPrivateHostsPermitsTheName(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("inside")) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	w := newWorld(t)
	w.names.answer("inside.test", "127.0.0.1")
	origin := "http://inside.test:" + port
	g := origins(origin)
	g.Network.PrivateHosts = []string{"inside.test"}
	c, checker := w.client(g)
	if r, err := fetch(t, c, checker, "GET", origin, Request{}); err != nil || string(r.Body) != "inside" {
		t.Fatal(r, err)
	}
}

func TestLiteralAndLocalhostOriginsNeedNoResolver(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("literal")) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, c := range []struct{ granted, asked string }{
		{"http://127.0.0.1", "http://127.0.0.1"},
		{"http://127.0.0.1", "http://2130706433"},
		{"http://127.0.0.1", "http://0x7f.1"},
		{"http://127.0.0.1", "http://0177.0.0.1"},
		{"http://localhost", "http://localhost"},
		{"http://localhost", "http://LOCALHOST"},
		{"http://[::ffff:127.0.0.1]", "http://[::FFFF:7F00:1]"},
	} {
		w := newWorld(t)
		client, checker := w.client(origins(c.granted + ":" + port))
		r, err := fetch(t, client, checker, "GET", c.asked+":"+port, Request{})
		if err != nil || string(r.Body) != "literal" {
			t.Errorf("%s: %v", c.asked, err)
		}
		if got := w.names.asked(); len(got) != 0 {
			t.Errorf("%s: asked for %q", c.asked, got)
		}
	}
}

func TestPublicNameIsNotLookedUpInSearchList(t *testing.T) {
	w := newWorld(t)
	c, checker := w.client(origins("http://missing.test"))
	_, err := fetch(t, c, checker, "GET", "http://missing.test", Request{})
	var failed *capability.Failure
	if !errors.As(err, &failed) || failed.Code != "ENOTFOUND" || strings.Contains(failed.Message, "127.0.0.1") {
		t.Fatal(err)
	}
	for _, q := range w.names.asked() {
		if q != "missing.test." {
			t.Errorf("asked for %q", q)
		}
	}
}

func TestZeroTicketIsRefused(t *testing.T) {
	c, _ := newWorld(t).client(grants.Grants{})
	if _, err := c.Fetch(t.Context(), grants.Fetch{}, Request{}); !errors.Is(err, capability.ErrTicket) {
		t.Fatal(err)
	}
}
