package network

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

// Covers: T-NET-03
func TestSmugglingHeadersAreRefused(t *testing.T) {
	w := newWorld(t)
	arrived := 0
	origin := w.host("a.test", serve(t, func(http.ResponseWriter, *http.Request) { arrived++ }))
	c, checker := w.client(origins(origin))
	for _, h := range [][2]string{
		{"Host", "evil.test"}, {"host", "evil.test"}, {"HOST", "a.test"}, {"Connection", "close"}, {"Connection", "Authorization"},
		{"Transfer-Encoding", "chunked"}, {"transfer_encoding", "chunked"}, {"Content-Length", "0"}, {"Content_Length", "0"},
		{"Upgrade", "h2c"}, {"HTTP2-Settings", "AAA"}, {"TE", "trailers"}, {"Trailer", "X"}, {"Keep-Alive", "x"}, {"Expect", "100-continue"},
		{"Proxy-Authorization", "x"}, {"Proxy-Connection", "keep-alive"}, {"proxy-anything", "x"}, {"Sec-WebSocket-Key", "x"}, {"Sec-Fetch-Site", "x"},
		{"X-HTTP-Method-Override", "DELETE"}, {"x-http-method", "DELETE"}, {"X_Method_Override", "DELETE"},
		{"", "x"}, {" ", "x"}, {"X Y", "x"}, {"X:", "x"}, {":authority", "evil.test"}, {"X\r\nHost", "x"}, {"X\n", "x"}, {"X\x00", "x"}, {"Ⅹ", "x"}, {"Host ", "x"}, {" Host", "x"}, {"Host\t", "x"},
		{"X", "a\r\nHost: evil.test"}, {"X", "a\nb"}, {"X", "a\rb"}, {"X", "a\x00b"}, {"X", "a\x7fb"}, {"X", "a\x01"},
	} {
		_, err := fetch(t, c, checker, "GET", origin, Request{Headers: [][2]string{h}})
		if err == nil {
			t.Errorf("%q was sent", h)
			continue
		}
		wantDenied(t, err, "network", "")
	}
	if arrived != 0 || len(w.dials()) != 0 || len(w.names.asked()) != 0 {
		t.Errorf("%d requests arrived", arrived)
	}
}

func TestOrdinaryHeadersArrive(t *testing.T) {
	w := newWorld(t)
	var got http.Header
	var host string
	origin := w.host("a.test", serve(t, func(_ http.ResponseWriter, r *http.Request) { got, host = r.Header, r.Host }))
	c, checker := w.client(origins(origin))
	_, err := fetch(t, c, checker, "GET", origin, Request{Headers: [][2]string{{"accept", "a"}, {"Accept", "b"}}})
	if err != nil || strings.Join(got["Accept"], ",") != "a,b" || host != strings.TrimPrefix(origin, "http://") {
		t.Fatal(got, host, err)
	}
	_, err = fetch(t, c, checker, "GET", origin, Request{Headers: [][2]string{
		{"Cookie", "c=d"}, {"Accept-Encoding", "br"}, {"user-agent", "guest/1"}, {"X-Tab", "a\tb é"},
	}})
	if err != nil || got.Get("Cookie") != "c=d" || got.Get("Accept-Encoding") != "gzip" || got.Get("User-Agent") != "guest/1" || got.Get("X-Tab") != "a\tb é" {
		t.Fatal(got, err)
	}
}

func TestHeadersAreBounded(t *testing.T) {
	w := newWorld(t)
	origin := w.host("a.test", serve(t, func(http.ResponseWriter, *http.Request) {}))
	c, checker := w.client(origins(origin))
	fits := maxHeaderBytes - len("X: \r\n")
	for size, allowed := range map[int]bool{fits: true, fits + 1: false} {
		_, err := fetch(t, c, checker, "GET", origin, Request{Headers: [][2]string{{"X", strings.Repeat("a", size)}}})
		if (err == nil) != allowed {
			t.Errorf("%d: %v", size, err)
		}
	}
}

func injecting(origin string, others ...string) grants.Grants {
	g := origins(append(others, origin)...)
	g.Secrets = map[string]grants.Secret{"KEY": {Value: "unused here"}}
	g.Network.Inject = []grants.Injection{{Origin: origin, Header: "Authorization", Secret: "KEY", Prefix: "Bearer "}}
	return g
}

// Covers: T-SEC-01
func TestInjectedHeader(t *testing.T) {
	w := newWorld(t)
	s := serve(t, echo)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	loopback, other := "http://127.0.0.1:"+port, w.host("b.test", serve(t, echo))
	c, checker := w.client(injecting(loopback, other))
	const line = "Authorization: Bearer value-of-KEY"

	for target, arrives := range map[string]bool{
		loopback + "/x":                      true,
		loopback + "/302?to=/x":              true,
		other + "/x":                         false,
		loopback + "/302?to=" + other + "/x": false,
		other + "/302?to=" + loopback + "/x": false, // an origin cannot borrow another one's credentials
		backAndForth(loopback, other, "/x"):  false,
	} {
		r, err := fetch(t, c, checker, "GET", target, Request{})
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		if got := strings.Contains(string(r.Body), line); got != arrives {
			t.Errorf("%s: %q", target, r.Body)
		}
	}
	for _, name := range []string{"Authorization", "authorization", "AUTHORIZATION"} {
		_, err := fetch(t, c, checker, "GET", loopback, Request{Headers: [][2]string{{name, "mine"}}})
		wantDenied(t, err, "network", "supervisor's")
	}
	if _, err := fetch(t, c, checker, "GET", other+"/x", Request{Headers: [][2]string{{"Authorization", "mine"}}}); err != nil {
		t.Errorf("the guest's own header at another origin: %v", err)
	}
}

// net/http quotes in the process's log what arrives on a connection that waits for its next request.
//
// Covers: T-SEC-01
func TestWhatAnOriginSaysUnaskedIsNotLogged(t *testing.T) {
	gone := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Write([]byte("HTTP/1.1 204 No Content\r\n\r\n" + r.Header.Get("Authorization")))
		_, _ = conn.Read(make([]byte, 1)) // until the client closes
		_ = conn.Close()
		close(gone)
	})
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	c, checker := newWorld(t).client(injecting(s.URL))
	if _, err := fetch(t, c, checker, "GET", s.URL, Request{}); err != nil {
		t.Error(err)
	}
	<-gone
	if logged.Len() > 0 {
		t.Errorf("%q", &logged)
	}
}

func TestLengthOfAnInjectedSecretIsNotTold(t *testing.T) {
	w := newWorld(t)
	echoed := func(out http.ResponseWriter, in *http.Request) {
		out.Header().Set("Content-Range", "bytes 0-0/"+fmt.Sprint(len(in.Header.Get("Authorization"))))
		out.Header().Set("Content-Length", fmt.Sprint(len(in.Header.Get("Authorization"))))
		_, _ = io.WriteString(out, in.Header.Get("Authorization"))
	}
	s := serve(t, echoed)
	grant := injecting(s.URL)
	grant.Network.Methods = []string{"GET", "HEAD"}
	c, checker := w.client(grant)
	for _, method := range grant.Network.Methods {
		r, err := fetch(t, c, checker, method, s.URL+"/x", Request{})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Headers {
			if h[0] == "content-length" || h[0] == "content-range" {
				t.Errorf("%s: %v", method, h)
			}
		}
	}
}

func TestMissingSecretFailsTheRequest(t *testing.T) {
	w := newWorld(t)
	arrived := false
	s := serve(t, func(http.ResponseWriter, *http.Request) { arrived = true })
	checker := grants.NewChecker(injecting(s.URL))
	config := w.config(checker)
	config.Secret = nil
	c := New(config)
	defer c.Close()
	if _, err := fetch(t, c, checker, "GET", s.URL, Request{}); err == nil || arrived {
		t.Fatal(err, arrived)
	}
}
