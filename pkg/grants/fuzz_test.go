package grants

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
)

// Whatever a guest asks for, a ticket says no more than the grants do.
func FuzzDecision(f *testing.F) {
	g := Grants{
		Filesystem:  Filesystem{Read: []string{"/srv/in", "/srv/in/deep"}, Write: []string{"/srv/out"}},
		Network:     Network{Origins: []string{"https://api.example.com", "http://127.0.0.1:8080", "http://[::1]:81"}, Methods: []string{"GET", "POST"}},
		Subprocess:  Subprocess{Commands: []string{"/usr/bin/jq"}},
		Environment: map[string]string{"MODE": "x"},
		Tools:       Tools{Allowed: []string{"look"}, ReadOnly: true},
	}
	if err := g.Validate(); err != nil {
		f.Fatal(err)
	}
	c := NewChecker(g)
	for _, text := range []string{
		"/srv/in/../../etc/passwd", "/srv/in//a/./b", "/srv/inside", "/srv/out/..", "srv/in", "/srv/in\x00", "/srv/in/deep/../x", "//srv/in/a", "",
		"https://api.example.com/x?y#z", "https://api.example.com:443", "https://api.example.com@evil.test", "https://API.EXAMPLE.COM./", "http://127.1:8080",
		"http://2130706433:8080/", "http://0x7f000001:8080", "http://[::ffff:127.0.0.1]:8080/", "http://127.0.0.1:8080\\@evil.test/", "https://api.example.com\t.evil.test",
		"//evil.test", "\\\\evil.test", "..", "https:evil", "http:///evil.test", "/usr/bin/../bin/jq", "look", "MODE\x00", "https://user:pass@api.example.com/", "https://аpi.example.com",
		"http://[::1%25eth0]:81/", "https://api.example.com:0443/", "https://api.example.com%2eevil.test", "get",
	} {
		f.Add(text, "GET")
	}
	f.Fuzz(func(t *testing.T, text, method string) {
		denied := func(err error) bool {
			var d *Denial
			if err != nil && !errors.As(err, &d) {
				t.Fatalf("%q: %v is no denial", text, err)
			}
			return err != nil
		}
		read, err := c.FileRead(text)
		if !denied(err) {
			beneath(t, text, read.Root(), read.Relative(), g.Filesystem.Read)
		}
		write, err := c.FileWrite(text, 1)
		if !denied(err) {
			beneath(t, text, write.Root(), write.Relative(), g.Filesystem.Write)
		}
		if _, err := c.Spawn(text, []string{method}); !denied(err) && text != "/usr/bin/jq" {
			t.Fatalf("command %q", text)
		}
		if _, err := c.Environment(text); !denied(err) && text != "MODE" {
			t.Fatalf("variable %q", text)
		}
		if _, err := c.Tool(text, true); !denied(err) && text != "look" {
			t.Fatalf("tool %q", text)
		}
		if _, err := c.Tool(text, false); err == nil {
			t.Fatalf("tool %q writes", text)
		}
		first, err := c.Fetch(method, text)
		if !denied(err) {
			granted(t, text, first, g.Network)
		}
		first, err = c.Fetch("GET", "https://api.example.com/a/b")
		if err != nil {
			t.Fatal(err)
		}
		if next, err := c.Redirect(first, method, text); !denied(err) {
			granted(t, text, next, g.Network)
			if next.Origin() != first.Origin() && !next.Crossed() {
				t.Fatalf("%q crosses unseen", text)
			}
		}
	})
}

func beneath(t *testing.T, text, root, rel string, roots []string) {
	t.Helper()
	if !slices.Contains(roots, root) || rel != path.Clean(rel) || path.IsAbs(rel) || rel == ".." || strings.HasPrefix(rel, "../") || strings.Contains(rel, "\x00") {
		t.Fatalf("%q became %q beneath %q", text, rel, root)
	}
}

// granted checks the URL that will be requested by other means than origins are compared with.
func granted(t *testing.T, text string, f Fetch, n Network) {
	t.Helper()
	u, err := url.Parse(f.URL().String()) // as the transport writes it
	if err != nil {
		t.Fatalf("%q became %q: %v", text, f.URL(), err)
	}
	place := u.Scheme + "://" + u.Host
	if u.Scheme == "https" {
		place = strings.TrimSuffix(place, ":443")
	}
	if !slices.Contains(n.Origins, place) || u.User != nil || u.Fragment != "" || !slices.Contains(n.Methods, f.Method()) {
		t.Fatalf("%q became %s %q", text, f.Method(), f.URL())
	}
}
