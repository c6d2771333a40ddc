package network

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"realm.internal/supervisor/pkg/grants"
)

// Headers that are taken arrive as they were given: no value ends a line, a
// message or a header, and none says where the request goes.
func FuzzRequestHeader(f *testing.F) {
	for _, h := range [][2]string{
		{"Accept", "text/html"}, {"X", "a\r\nHost: evil.test"}, {"Transfer-Encoding", "chunked"}, {"transfer_encoding", "x"}, {"X\x00", "y"}, {"ſec-x", "y"}, {"Host\t", "y"},
		{"Authorization", "guest"}, {"authorization", "guest"}, {"x-authorization_", " y "}, {"Cookie", "\xff"}, {"K", "\u2028"}, {"Content-Length", "9"},
	} {
		f.Add(h[0], h[1])
	}
	checker := grants.NewChecker(grants.Grants{
		Network: grants.Network{Origins: []string{"http://127.0.0.1:1"}, Inject: []grants.Injection{{Origin: "http://127.0.0.1:1", Header: "Authorization", Secret: "S"}}},
		Secrets: map[string]grants.Secret{"S": {Value: "value-of-the-secret"}},
	})
	ticket, err := checker.Fetch("GET", "http://127.0.0.1:1/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		header, err := requestHeader(ticket, Request{Headers: [][2]string{{name, value}}})
		if err != nil {
			return
		}
		r, err := http.NewRequest("GET", "http://127.0.0.1:1/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		var wire bytes.Buffer
		if err := r.Write(&wire); err != nil {
			t.Fatalf("%q: %q cannot be written: %v", name, value, err)
		}
		back, err := http.ReadRequest(bufio.NewReader(&wire))
		if err != nil {
			t.Fatalf("%q: %q is no request: %v", name, value, err)
		}
		if back.Host != "127.0.0.1:1" || len(back.TransferEncoding) > 0 || back.ContentLength > 0 || back.Close || back.Header.Get("Authorization") != "" || wire.Len() > 0 {
			t.Fatalf("%q: %q says %+v", name, value, back)
		}
		if got := back.Header.Get(name); got != strings.Trim(value, " \t") && !strings.EqualFold(name, "Accept-Encoding") {
			t.Fatalf("%q: %q arrives as %q", name, value, got)
		}
	})
}

// A response of any origin becomes one of bounded size whose headers are text.
func FuzzResponse(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"))
	f.Add([]byte("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nX: \x1b[2J\xff\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"))
	const limit = 1 << 10
	checker := grants.NewChecker(grants.Grants{Network: grants.Network{Origins: []string{"http://127.0.0.1:1"}}, Resources: grants.Resources{MaxNetworkBytes: limit}})
	ticket, err := checker.Fetch("GET", "http://127.0.0.1:1/")
	if err != nil {
		f.Fatal(err)
	}
	c := New(Config{Decider: checker})
	f.Cleanup(c.Close)
	f.Fuzz(func(t *testing.T, wire []byte) {
		r, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(wire)), nil)
		if err != nil {
			return
		}
		_ = redirectTarget(r)
		got, err := c.receive(t.Context(), ticket, r, false)
		if err != nil {
			return
		}
		if len(got.Body) > limit {
			t.Fatalf("%d bytes of %d", len(got.Body), limit)
		}
		for _, h := range got.Headers {
			if !utf8.ValidString(h[0]) || !utf8.ValidString(h[1]) || h[0] != strings.ToLower(h[0]) || strings.ContainsAny(h[1], "\r\n") {
				t.Fatalf("header %q", h)
			}
		}
	})
}
