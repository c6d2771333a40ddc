package network

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

// echo answers with what it was asked; paths /STATUS redirect to the "to" parameter.
func echo(w http.ResponseWriter, r *http.Request) {
	var status int
	if fmt.Sscanf(r.URL.Path, "/%d", &status); status != 0 {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(status)
		return
	}
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s body=%q\n", r.Method, r.URL.Path, body)
	r.Header.Write(w)
}

// Covers: N1
// Covers: T-NET-01
func TestRedirectIsANewDecision(t *testing.T) {
	w := newWorld(t)
	origin := w.host("a.test", serve(t, echo))
	c, checker := w.client(origins(origin, "https://a.test"))
	for location, rule := range map[string]string{
		"http://169.254.169.254/latest/meta-data/": "origin is not granted",
		"http://127.0.0.1:1/":                      "origin is not granted",
		"http://2130706433/":                       "origin is not granted",
		"//other.test/":                            "origin is not granted",
		"http://a.test/":                           "origin is not granted", // another port
		"http://user:pass@a.test/":                 "user name",
		"file:///etc/passwd":                       "neither http nor https",
		"gopher://a.test/":                         "neither http nor https",
		"javascript:alert(1)":                      "",
		"http://[::1%25lo]/":                       "",
		"http://a.test\\@other.test/":              "malformed",
		"http://a.test:99999/":                     "",
	} {
		_, err := fetch(t, c, checker, "GET", origin+"/302?to="+escape(location), Request{})
		wantDenied(t, err, "network", rule)
	}
	for _, d := range w.dials() {
		if !strings.HasPrefix(d, publicAddress) {
			t.Errorf("dialled %s", d)
		}
	}
}

func TestRedirectMethods(t *testing.T) {
	w := newWorld(t)
	origin := w.host("a.test", serve(t, echo))
	c, checker := w.client(origins(origin))
	for _, x := range []struct {
		status       int
		method, want string
	}{
		{301, "GET", `GET /x body=""`}, {302, "GET", `GET /x body=""`}, {303, "GET", `GET /x body=""`}, {307, "GET", `GET /x body=""`}, {308, "GET", `GET /x body=""`},
		{301, "POST", `GET /x body=""`}, {302, "POST", `GET /x body=""`}, {303, "POST", `GET /x body=""`},
		{307, "POST", `POST /x body="data"`}, {308, "POST", `POST /x body="data"`},
		{301, "PUT", `PUT /x body="data"`}, {302, "PUT", `PUT /x body="data"`}, {303, "PUT", `GET /x body=""`}, {307, "PUT", `PUT /x body="data"`},
		{303, "DELETE", `GET /x body=""`}, {308, "DELETE", `DELETE /x body="data"`},
	} {
		request := Request{Headers: [][2]string{{"Content-Type", "text/plain"}}}
		if x.method != "GET" {
			request.Body = []byte("data")
		}
		r, err := fetch(t, c, checker, x.method, fmt.Sprintf("%s/%d?to=/x", origin, x.status), request)
		if err != nil {
			t.Errorf("%d of %s: %v", x.status, x.method, err)
			continue
		}
		first, rest, _ := strings.Cut(string(r.Body), "\n")
		if first != x.want || !r.Redirected || r.URL != origin+"/x" {
			t.Errorf("%d of %s: %q at %s", x.status, x.method, first, r.URL)
		}
		if typed := strings.Contains(rest, "Content-Type"); typed != (x.method == "GET" || strings.Contains(x.want, "data")) {
			t.Errorf("%d of %s: headers %q", x.status, x.method, rest)
		}
	}
	for _, status := range []int{300, 304, 305, 306, 399} {
		r, err := fetch(t, c, checker, "GET", fmt.Sprintf("%s/%d?to=/x", origin, status), Request{})
		if err != nil || r.Status != status || r.Redirected {
			t.Errorf("%d: %v %v", status, r, err)
		}
	}
	if r, err := fetch(t, c, checker, "GET", origin+"/302", Request{}); err != nil || r.Status != 302 {
		t.Errorf("a redirect without a target: %v %v", r, err)
	}
}

func TestRewrittenMethodNeedsItsGrant(t *testing.T) {
	w := newWorld(t)
	origin := w.host("a.test", serve(t, echo))
	g := origins(origin)
	g.Network.Methods = []string{"POST"}
	c, checker := w.client(g)
	_, err := fetch(t, c, checker, "POST", origin+"/303?to=/x", Request{})
	wantDenied(t, err, "network", "method")
}

func TestFiveRedirectsPassAndSixAreRefused(t *testing.T) {
	w := newWorld(t)
	hops := 0
	origin := w.host("a.test", serve(t, func(w http.ResponseWriter, r *http.Request) {
		hops++
		var left int
		if fmt.Sscanf(r.URL.Path, "/%d", &left); left > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", left-1), http.StatusFound)
		}
	}))
	c, checker := w.client(origins(origin))
	if _, err := fetch(t, c, checker, "GET", origin+"/5", Request{}); err != nil || hops != 6 {
		t.Fatal(hops, err)
	}
	hops = 0
	_, err := fetch(t, c, checker, "GET", origin+"/6", Request{})
	wantDenied(t, err, "network", "redirects")
	if hops != 6 {
		t.Errorf("%d requests", hops)
	}
}

// Covers: T-SEC-02
func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	w := newWorld(t)
	a := w.host("a.test", serve(t, echo))
	b := w.host("b.test", serve(t, echo))
	g := origins(a, b)
	c, checker := w.client(g)
	headers := [][2]string{{"Authorization", "Bearer guest"}, {"Cookie", "id=guest"}, {"X-Api-Key", "guest"}, {"Accept", "text/guest"}}
	for target, kept := range map[string]bool{
		a + "/302?to=/x":        true,
		a + "/302?to=" + b:      false,
		a + "/307?to=" + b:      false,
		a + "/302?to=" + a:      true,
		a + "/x":                true,
		backAndForth(a, b, "/"): false,
	} {
		r, err := fetch(t, c, checker, "GET", target, Request{Headers: headers})
		if err != nil {
			t.Fatal(err)
		}
		text := string(r.Body)
		for _, name := range []string{"Authorization: Bearer guest", "Cookie: id=guest", "X-Api-Key: guest"} {
			if strings.Contains(text, name) != kept {
				t.Errorf("%s: %q", target, text)
			}
		}
		if !strings.Contains(text, "Accept: text/guest") || strings.Contains(text, "Referer") {
			t.Errorf("%s: %q", target, text)
		}
	}
}

// backAndForth leads from a over b to path at a.
func backAndForth(a, b, path string) string {
	return a + "/302?to=" + escape(b+"/302?to="+escape(a+path))
}

func TestDowngradeNeedsItsOwnGrant(t *testing.T) {
	w := newWorld(t)
	secure := httptest.NewTLSServer(http.HandlerFunc(echo))
	defer secure.Close()
	a, plain := w.host("example.com", secure), w.host("example.com", serve(t, echo))
	for granted, allowed := range map[bool]bool{true: true, false: false} {
		g := origins(a)
		if granted {
			g = origins(a, plain)
		}
		checker := grants.NewChecker(g)
		config := w.config(checker)
		config.RootCAs = authority(secure)
		c := New(config)
		_, err := fetch(t, c, checker, "GET", a+"/302?to="+escape(plain), Request{})
		if c.Close(); (err == nil) != allowed {
			t.Errorf("granted %v: %v", granted, err)
		}
		if !allowed {
			wantDenied(t, err, "network", "origin")
		}
	}
}
