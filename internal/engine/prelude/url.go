package prelude

import (
	"strings"

	"github.com/nlnwa/whatwg-url/url"
)

// ParseURL parses input by the WHATWG URL standard, relative to base when hasBase. It answers the serialised components
// joined by line feeds, which occur in none of them: href, origin, protocol, username, password, host, hostname, port,
// pathname, search, hash. ok is false when input or base is no valid URL, or one of the absurd ones of [absurd].
func ParseURL(input, base string, hasBase bool) (packed string, ok bool) {
	if absurd(input) || absurd(base) {
		return "", false
	}
	var u *url.Url
	var err error
	if hasBase {
		var b *url.Url
		if b, err = url.Parse(base); err != nil {
			return "", false
		}
		u, err = b.Parse(input)
	} else {
		u, err = url.Parse(input)
	}
	if err != nil {
		return "", false
	}
	return pack(u), true
}

// SetURL assigns to a property of the URL whose serialisation href is, as the setter of that name does, and answers the
// components as [ParseURL] does. An assignment that the standard ignores changes nothing.
func SetURL(href, property, value string) string {
	u, err := url.Parse(href)
	if err != nil {
		return strings.Repeat("\n", 10) // no guest gets here: href is always a serialisation
	}
	credentials := property == "username" || property == "password"
	if credentials && len(value) > maxCredentials || property == "pathname" && segments(value) > maxSegments {
		return pack(u)
	}
	switch property {
	case "protocol":
		u.SetProtocol(value)
	case "username":
		u.SetUsername(value)
	case "password":
		u.SetPassword(value)
	case "host":
		u.SetHost(value)
	case "hostname":
		u.SetHostname(value)
	case "port":
		u.SetPort(value)
	case "pathname":
		u.SetPathname(value)
	case "search":
		u.SetSearch(value)
	case "hash":
		u.SetHash(value)
	}
	return pack(u)
}

// The parser builds paths and credentials by appending: beyond these it would take seconds, in a call that nothing can
// interrupt.
const (
	maxSegments    = 4 << 10
	maxCredentials = 16 << 10 // bytes
)

// absurd reports whether a text has more of either than is parsed.
func absurd(input string) bool {
	if len(input) <= maxSegments || len(input) > 5 && strings.EqualFold(input[:5], "data:") {
		return false
	}
	if end := strings.IndexAny(input, "?#"); end >= 0 {
		input = input[:end]
	}
	if segments(input) > maxSegments {
		return true
	}
	_, authority, _ := strings.Cut(input, "//")
	if end := strings.IndexAny(authority, "/\\"); end >= 0 {
		authority = authority[:end]
	}
	return len(authority) > maxCredentials && strings.Contains(authority, "@")
}

func segments(path string) int { return strings.Count(path, "/") + strings.Count(path, "\\") }

func pack(u *url.Url) string {
	return strings.Join([]string{
		u.Href(false), origin(u), u.Protocol(), u.Username(), u.Password(), u.Host(), u.Hostname(), u.Port(),
		u.Pathname(), u.Search(), u.Hash(),
	}, "\n")
}

// origin is the serialisation of the URL's origin; that of a blob is the one of the URL in its path.
func origin(u *url.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Protocol() + "//" + u.Host()
	case "blob":
		inner, err := url.Parse(u.Pathname())
		if err == nil && (inner.Scheme() == "http" || inner.Scheme() == "https") {
			return origin(inner)
		}
	}
	return "null"
}
