package network

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

// Covers: N5
func TestResponseOverItsLimitIsDenied(t *testing.T) {
	const limit = 64 << 10
	g := func(origin string) grants.Grants {
		g := origins(origin)
		g.Resources.MaxNetworkBytes = limit
		return g
	}
	plain := func(size int, length bool) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if length {
				w.Header().Set("Content-Length", fmt.Sprint(size))
			}
			for piece := bytes.Repeat([]byte("x"), 1000); size > 0; size -= len(piece) {
				if _, err := w.Write(piece[:min(size, len(piece))]); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		}
	}
	zipped := func(size int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "GZIP")
			z := gzip.NewWriter(w)
			io.CopyN(z, zeros{}, int64(size))
			z.Close()
		}
	}
	emptyMembers := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		var member bytes.Buffer
		gzip.NewWriter(&member).Close()
		for {
			if _, err := w.Write(member.Bytes()); err != nil {
				return
			}
		}
	}
	for _, x := range []struct {
		name    string
		handler http.HandlerFunc
		allowed bool
	}{
		{"at the limit", plain(limit, false), true},
		{"at the limit, announced", plain(limit, true), true},
		{"one byte more", plain(limit+1, false), false},
		{"one byte more, announced", plain(limit+1, true), false},
		{"gzip at the limit", zipped(limit), true},
		{"gzip, one byte more", zipped(limit + 1), false},
		{"gzip bomb", zipped(64 << 20), false},
		{"gzip members without content", emptyMembers, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t)
			origin := w.host("a.test", serve(t, x.handler))
			c, checker := w.client(g(origin))
			r, err := fetch(t, c, checker, "GET", origin, Request{})
			if x.allowed {
				if err != nil || len(r.Body) != limit {
					t.Fatal(err)
				}
				return
			}
			wantDenied(t, err, "resource.bytes", "maxNetworkBytes")
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Covers: N5
// Covers: T-NET-04
func TestGzipBombKeepsMemoryFlat(t *testing.T) {
	var bomb bytes.Buffer
	z, _ := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	io.CopyN(z, zeros{}, 256<<20)
	z.Close()
	w := newWorld(t)
	origin := w.host("a.test", serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb.Bytes())
	}))
	c, checker := w.client(origins(origin))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := fetch(t, c, checker, "GET", origin, Request{})
	runtime.ReadMemStats(&after)
	wantDenied(t, err, "resource.bytes", "")
	// Everything that was ever allocated, client and server together; the limit is 1 MiB.
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 16<<20 {
		t.Errorf("%d MiB were allocated", spent>>20)
	}
}

func TestGzipIsDecodedAndItsHeadersAreGone(t *testing.T) {
	w := newWorld(t)
	origin := w.host("a.test", serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		switch r.URL.Path {
		case "/bad":
			w.Write([]byte("this is not gzip"))
		case "/empty":
		case "/cut":
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write([]byte("content"))
			z.Close()
			w.Write(b.Bytes()[:b.Len()-4])
		default:
			z := gzip.NewWriter(w)
			z.Write([]byte("content"))
			z.Close()
		}
	}))
	c, checker := w.client(origins(origin))
	r, err := fetch(t, c, checker, "GET", origin, Request{})
	if err != nil || string(r.Body) != "content" {
		t.Fatal(r, err)
	}
	for _, h := range r.Headers {
		if h[0] == "content-encoding" || h[0] == "content-length" {
			t.Errorf("%q", h)
		}
	}
	if r, err := fetch(t, c, checker, "GET", origin+"/empty", Request{}); err != nil || len(r.Body) != 0 {
		t.Error(r, err)
	}
	for _, path := range []string{"/bad", "/cut"} {
		_, err := fetch(t, c, checker, "GET", origin+path, Request{})
		wantFailure(t, err, "EPROTO")
	}
}
