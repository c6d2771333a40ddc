package prelude

import (
	"strings"

	"github.com/nlnwa/whatwg-url/url"
)

// ParseURL parses input by the WHATWG URL standard, relative to base when hasBase. It answers the serialised components
// joined by line feeds, which occur in none of them: href, origin, protocol, username, password, host, hostname, port,
// pathname, search, hash. ok is false when input or base is no valid URL.
func ParseURL(input, base string, hasBase bool) (packed string, ok bool) {
	parser := url.NewParser()
	var (
		u   *url.Url
		err error
	)
	if hasBase {
		var b *url.Url
		if b, err = parser.Parse(base); err != nil {
			return "", false
		}
		u, err = parser.BasicParser(input, b, nil, url.NoState)
	} else {
		u, err = parser.Parse(input)
	}
	if err != nil {
		return "", false
	}
	return pack(u), true
}

// SetURL assigns to a property of the URL whose serialisation href is, as the setter of that name does, and answers the
// components as [ParseURL] does. An assignment that the standard ignores changes nothing.
func SetURL(href, property, value string) string {
	u, err := url.NewParser().Parse(href)
	if err != nil {
		return href
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
		inner, err := url.NewParser().Parse(u.Pathname())
		if err == nil && (inner.Scheme() == "http" || inner.Scheme() == "https") {
			return origin(inner)
		}
	}
	return "null"
}
