package grants

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Origin is a scheme, a host and a port, in canonical form: comparable with ==.
type Origin struct {
	Scheme string // "https" or "http"
	Host   string // lower-case ASCII name, dotted IPv4 or unbracketed IPv6
	Port   uint16 // never 0
}

// ParseOrigin reads an exact origin: a scheme and a host, perhaps a port, and nothing else.
func ParseOrigin(text string) (Origin, error) {
	u, origin, err := parseURL(text)
	if err != nil {
		return Origin{}, err
	}
	rest := *u
	rest.Scheme, rest.Host = "", ""
	if rest.Path == "/" {
		rest.Path = ""
	}
	if rest != (url.URL{}) {
		return Origin{}, errors.New("has more than scheme, host and port")
	}
	return origin, nil
}

// String is the origin as it is granted: the default port is left out.
func (o Origin) String() string { return o.Scheme + "://" + o.authority() }

func (o Origin) authority() string {
	host := o.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.Port == defaultPort(o.Scheme) {
		return host
	}
	return host + ":" + strconv.Itoa(int(o.Port))
}

// Address is the host as an address, if it is an IP literal.
func (o Origin) Address() (netip.Addr, bool) {
	a, err := netip.ParseAddr(o.Host)
	return a, err == nil
}

// Localhost reports whether the host is the name localhost. Names below it lead to the same addresses, and do not grant them.
func (o Origin) Localhost() bool { return o.Host == "localhost" }

// Loopback reports whether requests cannot leave the machine.
func (o Origin) Loopback() bool {
	a, ok := o.Address()
	return ok && a.Unmap().IsLoopback() || o.Localhost()
}

func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}
	return 443
}

// maxURL bounds a URL; longer ones are refused before they are parsed.
const maxURL = 8192

// parseURL reads an absolute http or https URL without user information and gives it a canonical host.
func parseURL(text string) (*url.URL, Origin, error) {
	if len(text) > maxURL {
		return nil, Origin{}, fmt.Errorf("is longer than %d bytes", maxURL)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, Origin{}, errors.New("is not a URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, Origin{}, errors.New("is neither http nor https")
	}
	if u.User != nil {
		return nil, Origin{}, errors.New("has a user name or password")
	}
	if u.Opaque != "" || u.Host == "" {
		return nil, Origin{}, errors.New("has no host")
	}
	origin := Origin{Scheme: u.Scheme, Port: defaultPort(u.Scheme)}
	if origin.Host, err = canonicalHost(u.Hostname()); err != nil {
		return nil, Origin{}, err
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return nil, Origin{}, errors.New("has a port that is not from 1 to 65535")
		}
		origin.Port = uint16(n)
	}
	u.Host = origin.authority()
	return u, origin, nil
}

// canonicalHost gives each host one spelling: names in lower-case ASCII, addresses as netip prints them.
func canonicalHost(host string) (string, error) {
	if strings.Contains(host, ":") {
		a, err := netip.ParseAddr(host)
		if err != nil || a.Zone() != "" {
			return "", errors.New("has a malformed IPv6 address")
		}
		return a.String(), nil
	}
	if !isASCII(host) || strings.Contains(strings.ToLower(host), "xn--") {
		// idna encodes bytes that are no UTF-8 to a name that it refuses itself.
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil || !utf8.ValidString(host) {
			return "", errors.New("has a host that is not a valid international name")
		}
		host = ascii
	}
	host = strings.ToLower(host)
	if endsInNumber(host) {
		a, ok := parseIPv4(host)
		if !ok {
			return "", errors.New("has a malformed IPv4 address")
		}
		return a.String(), nil
	}
	return host, checkName(host)
}

// checkName refuses what no resolver should be asked.
func checkName(host string) error {
	if host == "" || len(host) > 253 {
		return errors.New("has a host that is empty or too long")
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" {
			return errors.New("has a host with an empty label (a dot too many)")
		}
		if len(label) > 63 {
			return errors.New("has a host with a label of more than 63 bytes")
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || !isHostLabel(label) {
			return errors.New("has a host with a character that names do not have")
		}
	}
	return nil
}

func isHostLabel(label string) bool {
	for _, c := range []byte(label) {
		if c != '-' && c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// endsInNumber follows the URL standard: such a host is an IPv4 address or nothing.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := parseNumber(last)
	return ok
}

// parseIPv4 reads every spelling that the URL standard knows: 127.1, 0x7f000001, 0177.0.0.1.
func parseIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		last := i == len(parts)-1
		if !ok || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			sum |= n
		} else {
			sum |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func parseNumber(s string) (uint64, bool) {
	base := 10
	switch {
	case strings.HasPrefix(s, "0x"):
		s, base = s[2:], 16
		if s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" || s[0] == '+' || strings.Contains(s, "_") {
		return 0, false
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil
}

func urlTarget(u *url.URL) string {
	bare := *u
	bare.User, bare.RawQuery, bare.ForceQuery, bare.Fragment, bare.RawFragment = nil, "", false, "", ""
	return Target(bare.String())
}
