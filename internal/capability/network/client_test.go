package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

func escape(s string) string { return url.QueryEscape(s) }

func wantFailure(t *testing.T, err error, code string) {
	t.Helper()
	var failed *capability.Failure
	if !errors.As(err, &failed) || failed.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if strings.Contains(failed.Error(), publicAddress) || strings.Contains(failed.Error(), "127.0.0.1:") && !strings.Contains(failed.Error(), "://127.0.0.1:") {
		t.Errorf("%v tells an address", failed)
	}
}

func TestResponseIsComplete(t *testing.T) {
	w := newWorld(t)
	origin := w.host("a.test", serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header()["X-Latin"] = []string{"caf\xe9"}
		w.Header()["X-Two"] = []string{"a", "b"}
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s \xff", r.Method, r.RequestURI, body)
	}))
	c, checker := w.client(origins(origin))
	r, err := fetch(t, c, checker, "POST", origin+"/p%2Fq?a=b#fragment", Request{Body: []byte("sent")})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != 418 || r.StatusText != "I'm a teapot" || string(r.Body) != "POST /p%2Fq?a=b sent \xff" || r.Redirected || r.URL != origin+"/p%2Fq?a=b" {
		t.Errorf("%+v %q", r, r.Body)
	}
	for _, want := range [][2]string{{"x-latin", "café"}, {"x-two", "a"}, {"x-two", "b"}} {
		if !slices.Contains(r.Headers, want) {
			t.Errorf("%q lacks %q", r.Headers, want)
		}
	}
}

func TestMethodsWithoutBody(t *testing.T) {
	w := newWorld(t)
	origin := w.host("a.test", serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", "5000000")
		if r.Method != "HEAD" {
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	c, checker := w.client(origins(origin))
	for _, method := range []string{"HEAD", "DELETE"} {
		if r, err := fetch(t, c, checker, method, origin, Request{}); err != nil || len(r.Body) != 0 {
			t.Errorf("%s: %v %v", method, r, err)
		}
	}
	for _, method := range []string{"GET", "HEAD"} {
		_, err := fetch(t, c, checker, method, origin, Request{Body: []byte("x")})
		wantFailure(t, err, "EINVAL")
	}
}

// Covers: N4
func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	proxied := false
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { proxied = true })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	w := newWorld(t)
	origin := w.host("a.test", serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("direct")) }))
	c, checker := w.client(origins(origin))
	r, err := fetch(t, c, checker, "GET", origin, Request{})
	if err != nil || string(r.Body) != "direct" || proxied {
		t.Fatal(r, err, proxied)
	}
}

// Covers: N6
func TestFailuresAreNotDenials(t *testing.T) {
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + refused.Addr().String()
	refused.Close()
	raw := func(answer string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					conn.Read(make([]byte, 4096))
					io.WriteString(conn, answer)
					conn.Close()
				}()
			}
		}()
		return "http://" + l.Addr().String()
	}
	for name, x := range map[string]struct{ origin, code string }{
		"nothing listens":         {closed, "ECONNREFUSED"},
		"name does not exist":     {"http://missing.test", "ENOTFOUND"},
		"closed without answer":   {raw(""), "ECONNRESET"},
		"cut body":                {raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), "ECONNRESET"},
		"not HTTP":                {raw("SSH-2.0-OpenSSH\r\n"), "EPROTO"},
		"two lengths":             {raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), "EPROTO"},
		"huge headers":            {raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", maxHeaderBytes+4096) + "\r\n\r\n"), "EPROTO"},
		"unasked switch":          {raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), "EPROTO"},
		"https where http speaks": {strings.Replace(raw("HTTP/1.0 400 Bad Request\r\n\r\n"), "http:", "https:", 1), "EPROTO"},
	} {
		t.Run(name, func(t *testing.T) {
			c, checker := newWorld(t).client(origins(x.origin))
			_, err := fetch(t, c, checker, "GET", x.origin, Request{})
			wantFailure(t, err, x.code)
		})
	}
}

// Covers: L5
func TestCancelEndsARequestInFlight(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	started := make(chan struct{}, 1)
	origin := func(w *world) string {
		return w.host("a.test", serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/body" {
				w.Write([]byte("slow"))
				w.(http.Flusher).Flush()
			}
			started <- struct{}{}
			for { // one byte at a time, as long as anybody listens
				select {
				case <-r.Context().Done():
					return
				case <-release:
					return
				case <-time.After(time.Millisecond):
					if r.URL.Path == "/body" {
						w.Write([]byte("."))
						w.(http.Flusher).Flush()
					}
				}
			}
		}))
	}
	for _, path := range []string{"/header", "/body"} {
		for _, by := range []string{"context", "close"} {
			w := newWorld(t)
			o := origin(w)
			c, checker := w.client(origins(o))
			ticket, err := checker.Fetch("GET", o+path)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { _, err := c.Fetch(ctx, ticket, Request{}); done <- err }()
			<-started
			if by == "close" {
				c.Close()
			} else {
				cancel()
			}
			wantFailure(t, <-done, "ECANCELED")
			cancel()
		}
	}
}

// deaf is a connection whose peer, once it is told to, reads nothing any more.
type deaf struct {
	net.Conn
	stopped atomic.Bool
	once    sync.Once
	closed  chan struct{}
}

func (d *deaf) Write(p []byte) (int, error) {
	if d.stopped.Load() {
		<-d.closed
		return 0, net.ErrClosed
	}
	return d.Conn.Write(p)
}

func (d *deaf) Close() error {
	d.once.Do(func() { close(d.closed) })
	return d.Conn.Close()
}

// Covers: T-NET-05
func TestAnOriginThatStopsReadingHoldsNothingBeyondTheRun(t *testing.T) {
	for claim, headers := range map[string]bool{"before its headers": false, "within its body": true} {
		t.Run(claim, func(t *testing.T) {
			begun := make(chan struct{})
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if headers {
					w.(http.Flusher).Flush()
				}
				close(begun)
				<-r.Context().Done()
			}))
			s.EnableHTTP2 = true
			s.StartTLS()
			t.Cleanup(s.Close)
			w := newWorld(t)
			origin := w.host("example.com", s)
			checker := grants.NewChecker(origins(origin))
			config := w.config(checker)
			config.RootCAs = authority(s)
			conn := &deaf{closed: make(chan struct{})}
			config.Dial = func(ctx context.Context, network, address string) (_ net.Conn, err error) {
				conn.Conn, err = w.dial(ctx, network, address)
				return conn, err
			}
			c := New(config)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ticket, err := checker.Fetch("GET", origin)
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { _, err := c.Fetch(ctx, ticket, Request{}); done <- err }()
			<-begun
			t.Cleanup(func() { conn.Close() }) // before that of the server, which waits for it
			conn.stopped.Store(true)
			cancel()
			select {
			case err := <-done:
				wantFailure(t, err, "ECANCELED")
			case <-time.After(20 * time.Second):
				t.Fatal("the request does not end with the run")
			}
			c.Close()
			select {
			case <-conn.closed:
			case <-time.After(20 * time.Second):
				t.Fatal("the connection outlives its client")
			}
		})
	}
}

// A connection serves one run, and over HTTP/1 one request.
func TestNothingIsKeptBetweenRequestsAndRuns(t *testing.T) {
	for _, two := range []bool{false, true} {
		var mu sync.Mutex
		var peers, cookies []string
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			peers, cookies = append(peers, r.RemoteAddr), append(cookies, r.Header.Get("Cookie"))
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		}))
		s.EnableHTTP2 = two
		s.StartTLS()
		t.Cleanup(s.Close)
		for range 2 {
			checker := grants.NewChecker(origins(s.URL))
			config := newWorld(t).config(checker)
			config.RootCAs = authority(s)
			c := New(config)
			for range 2 {
				if _, err := fetch(t, c, checker, "GET", s.URL, Request{}); err != nil {
					t.Fatal(err)
				}
			}
			c.Close()
		}
		if peers[1] == peers[2] || (peers[0] == peers[1]) != two {
			t.Errorf("HTTP/2 %t: connections %q", two, peers)
		}
		for _, c := range cookies {
			if c != "" {
				t.Errorf("cookie %q came back", c)
			}
		}
	}
}
