package network

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

func authority(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

func TestTLS(t *testing.T) {
	server := func(change func(*httptest.Server)) *httptest.Server {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		change(s)
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	one := server(func(*httptest.Server) {})
	two := server(func(s *httptest.Server) { s.EnableHTTP2 = true })
	old := server(func(s *httptest.Server) {
		s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	})
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: one.Certificate().Raw})
	extra, err := Roots(block)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		server *httptest.Server
		host   string
		roots  *x509.CertPool
		want   string
	}{
		"HTTP/1.1, extra authority": {one, "example.com", extra, "HTTP/1.1"},
		"HTTP/2":                    {two, "example.com", extra, "HTTP/2.0"},
		"unknown authority":         {one, "example.com", nil, "CERT_UNTRUSTED"},
		"another name":              {one, "a.test", extra, "CERT_HOSTNAME"},
		"TLS 1.1 is not spoken":     {old, "example.com", extra, "EPROTO"},
		"no authorities of its own": {one, "example.com", x509.NewCertPool(), "CERT_UNTRUSTED"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			origin := w.host(x.host, x.server)
			checker := grants.NewChecker(origins(origin))
			config := w.config(checker)
			config.RootCAs = x.roots
			c := New(config)
			defer c.Close()
			r, err := fetch(t, c, checker, "GET", origin, Request{})
			if strings.HasPrefix(x.want, "HTTP") {
				if err != nil || string(r.Body) != x.want {
					t.Fatal(r, err)
				}
				return
			}
			wantFailure(t, err, x.want)
		})
	}
	if _, err := Roots([]byte("no certificate")); err == nil {
		t.Error("a file without certificates was taken")
	}
}
