package grants

import (
	"strings"
	"testing"
)

func TestOriginsHaveOneSpelling(t *testing.T) {
	for spelled, want := range map[string]string{
		"https://API.Example.com":           "https://api.example.com",
		"https://api.example.com:443":       "https://api.example.com",
		"https://api.example.com:443/":      "https://api.example.com",
		"http://api.example.com:80":         "http://api.example.com",
		"http://api.example.com:443":        "http://api.example.com:443",
		"HTTPS://api.example.com":           "https://api.example.com",
		"https://B\u00fccher.example":       "https://xn--bcher-kva.example",
		"https://xn--bcher-kva.example":     "https://xn--bcher-kva.example",
		"https://XN--BCHER-KVA.example":     "https://xn--bcher-kva.example",
		"https://b\u0075\u0308cher.example": "https://xn--bcher-kva.example",
		"http://127.0.0.1:8080":             "http://127.0.0.1:8080",
		"http://2130706433":                 "http://127.0.0.1",
		"http://0x7f.1":                     "http://127.0.0.1",
		"http://0177.0.0.1":                 "http://127.0.0.1",
		"http://127.1":                      "http://127.0.0.1",
		"http://127.0.0.1.":                 "http://127.0.0.1",
		"http://[::1]":                      "http://[::1]",
		"http://[0:0:0:0:0:0:0:1]:80":       "http://[::1]",
		"http://[::ffff:127.0.0.1]":         "http://[::ffff:127.0.0.1]",
		"http://\uff11\uff12\uff17.0.0.1":   "http://127.0.0.1",
		"http://my_host:8080":               "http://my_host:8080",
	} {
		o, err := ParseOrigin(spelled)
		if err != nil || o.String() != want {
			t.Errorf("%s is %s (%v), want %s", spelled, o, err, want)
		}
		if again, err := ParseOrigin(o.String()); err != nil || again != o {
			t.Errorf("%s does not read back: %v", o, err)
		}
	}
}

func TestMalformedURLsAreDenied(t *testing.T) {
	c := NewChecker(Grants{Network: Network{Origins: []string{"https://a.example", "http://127.0.0.1"}}})
	for _, url := range []string{
		"", "a.example", "//a.example/", "/path", "https:a.example", "https:/a.example", "https://", "https:///x", "file:///etc/passwd", "gopher://a.example",
		"javascript:1", "https://user@a.example/", "https://user:pw@a.example/", "https://@a.example@b.example/", "https://a.example\\@b.example/", "https://a.example:99999/",
		"https://a.example%2eb/", "https://a.exam ple/", "https://a.example\x00/", "https://a.example\r\nHost: x/", "https://a..example/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://0x1g.1/",
		"http://999999999999/", "http://127.0.0.0x", "https://[::1", "https://[::1%25lo]/", "https://" + strings.Repeat("a", 64) + ".example/", "https://a.example/" + strings.Repeat("x", 9000),
		"https://xn--a.example/", "https://a.example.evil/", "https://evil.a.example/", "https://a.example:8443/", "http://a.example/", "https://127.0.0.1/", "http://127.0.0.2/", "https://a.example./",
	} {
		ticket, err := c.Fetch("GET", url)
		if ticket.Valid() || err == nil {
			t.Errorf("%q is granted as %s", url, ticket.URL())
		}
	}
}

func TestGrantedRequestsCarryWhatTheyNeed(t *testing.T) {
	c := NewChecker(load(t, "network: {origins: ['https://a.example', 'http://127.0.0.1:8080', 'http://localhost'], methods: [GET, POST], privateHosts: [A.example],\n"+
		" inject: [{origin: 'https://a.example:443', header: Authorization, secret: T, prefix: 'Bearer '}]}\nsecrets: {T: v}\nresources: {maxNetworkBytes: 77}"))
	a, err := c.Fetch("post", "https://A.EXAMPLE:443/p%20q?x=1#frag")
	if err != nil || a.Method() != "POST" || a.URL().String() != "https://a.example/p%20q?x=1" || !a.PrivateAllowed() || a.MaxBytes() != 77 || a.Target() != "https://a.example/p%20q" ||
		len(a.Injections()) != 1 || a.Injections()[0].Prefix != "Bearer " || a.Crossed() {
		t.Errorf("ticket %+v, %v", a, err)
	}
	b, err := c.Fetch("GET", "http://0x7f000001:8080/")
	if address, ok := b.Address(); err != nil || !ok || address.String() != "127.0.0.1" || b.Localhost() || b.PrivateAllowed() || len(b.Injections()) != 0 {
		t.Errorf("ticket %+v, %v", b, err)
	}
	l, err := c.Fetch("", "http://LOCALHOST")
	if err != nil || !l.Localhost() || l.Method() != "GET" {
		t.Errorf("ticket %+v, %v", l, err)
	}
	a.URL().Host = "evil.example"
	a.Injections()[0].Secret = "other"
	if a.URL().Host != "a.example" || a.Injections()[0].Secret != "T" {
		t.Error("a ticket can be changed through what it gives out")
	}
}

func TestMethodsAreEnforced(t *testing.T) {
	c := NewChecker(load(t, "network: {origins: ['https://a.example']}"))
	_, err := c.Fetch("POST", "https://a.example/")
	if d := refused(t, err, CapabilityNetwork, "the method POST is not granted"); d.Hint != "network: {origins: [\"https://a.example\"], methods: [GET, POST]}" {
		t.Errorf("hint %q", d.Hint)
	}
	_, err = c.Fetch("POST", "https://b.example/")
	if d := refused(t, err, CapabilityNetwork, "the origin is not granted"); d.Hint != "network: {origins: [\"https://b.example\"], methods: [GET, POST]}" {
		t.Errorf("hint for another origin %q", d.Hint)
	}
	_, err = NewChecker(Grants{}).Fetch("POST", "https://b.example/")
	if d := refused(t, err, CapabilityNetwork, "the origin is not granted"); d.Hint != "network: {origins: [\"https://b.example\"], methods: [POST]}" {
		t.Errorf("hint where nothing is granted %q", d.Hint)
	}
	for _, method := range []string{"CONNECT", "trace", "G ET", "GET\r\n", "G\u00c9T"} {
		if _, err := c.Fetch(method, "https://a.example/"); err == nil {
			t.Errorf("%q is granted", method)
		}
	}
}

func TestDeniedTargetsCarryNoQuery(t *testing.T) {
	c := NewChecker(Grants{})
	for _, url := range []string{"https://a.example/p?token=sesame", "https://u:sesame@a.example/p", "ftp://u:sesame@a.example/?sesame", "https://a.example/p#sesame", "::?sesame"} {
		_, err := c.Fetch("GET", url)
		if d := refused(t, err, CapabilityNetwork, ""); strings.Contains(d.Error()+d.Hint, "sesame") {
			t.Errorf("%q: %v, hint %s", url, d, d.Hint)
		}
	}
}

func TestRedirectsAreNewDecisions(t *testing.T) {
	c := NewChecker(load(t, "network: {origins: ['https://a.example', 'https://b.example'], inject: [{origin: 'https://a.example', header: X, secret: T}, {origin: 'https://b.example', header: X, secret: T}]}\nsecrets: {T: v}"))
	first, err := c.Fetch("GET", "https://a.example/dir/x")
	if err != nil {
		t.Fatal(err)
	}
	same, err := c.Redirect(first, "GET", "../y?z")
	if err != nil || same.URL().String() != "https://a.example/y?z" || same.Crossed() || len(same.Injections()) != 1 {
		t.Errorf("same origin: %+v, %v", same, err)
	}
	other, err := c.Redirect(same, "GET", "//b.example/y")
	if err != nil || !other.Crossed() || len(other.Injections()) != 0 {
		t.Errorf("other origin: %+v, %v", other, err)
	}
	back, err := c.Redirect(other, "GET", "https://a.example/")
	if err != nil || !back.Crossed() || len(back.Injections()) != 0 {
		t.Errorf("way back: %+v, %v", back, err)
	}
	for _, target := range []string{"http://169.254.169.254/latest/meta-data/", "https://c.example/", "http://a.example/", "file:///etc/passwd", "https://u@a.example/", "data:,x", "%zz"} {
		if _, err := c.Redirect(first, "GET", target); err == nil {
			t.Errorf("a redirect to %s is followed", target)
		}
	}
	_, err = c.Redirect(first, "POST", "/y")
	refused(t, err, CapabilityNetwork, "the method POST is not granted")
	_, err = c.Redirect(Fetch{}, "GET", "https://a.example/")
	refused(t, err, CapabilityNetwork, "not granted")

	hop := first
	for range maxRedirects {
		if hop, err = c.Redirect(hop, "GET", "/again"); err != nil {
			t.Fatal(err)
		}
	}
	_, err = c.Redirect(hop, "GET", "/again")
	refused(t, err, CapabilityNetwork, "more than 5 redirects")
}
