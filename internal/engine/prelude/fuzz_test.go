package prelude

import (
	"strings"
	"testing"
)

// A URL that parses is one that parses to itself, and whatever is assigned to
// its parts leaves another such.
func FuzzURL(f *testing.F) {
	for _, c := range [][3]string{
		{"https://user:pass@example.com:8080/a/../b?c#d", "", "host"}, {"//x", "file:///C|/y", "pathname"}, {"http://0x7f.1/", "", "hostname"}, {"http://[::ffff:1.2.3.4]", "", "port"},
		{"javascript:alert(1)", "", "search"}, {"blob:https://a.test/1", "", "hash"}, {"\t http:\\\\a\n.test ", "", "protocol"}, {"http://a.test:65536", "", "username"}, {"?q", "http://ü.test/", "password"},
		{"http://a%00b/", "", "host"}, {"data:,a b", "", "pathname"}, {"http://xn--a/", "", "host"},
	} {
		f.Add(c[0], c[1], c[2], "v:/@?#[]\\ü%zz")
	}
	f.Fuzz(func(t *testing.T, input, base, property, assigned string) {
		packed, ok := ParseURL(input, base, base != "")
		if !ok {
			return
		}
		itself(t, packed)
		href, _, _ := strings.Cut(packed, "\n")
		itself(t, SetURL(href, property, assigned))
	})
}

func itself(t *testing.T, packed string) {
	t.Helper()
	if n := strings.Count(packed, "\n"); n != 10 {
		t.Fatalf("%d components in %q", n+1, packed)
	}
	href, _, _ := strings.Cut(packed, "\n")
	if absurd(href) { // a base and its input together can be longer than either may be
		return
	}
	again, ok := ParseURL(href, "", false)
	if got, _, _ := strings.Cut(again, "\n"); !ok || got != href {
		t.Fatalf("%q parses to %q, %v", href, got, ok)
	}
}
