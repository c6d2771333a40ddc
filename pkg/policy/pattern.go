package policy

import (
	"errors"
	"strings"

	"realm.internal/supervisor/pkg/grants"
)

// wildcard stands for everything where a ceiling names something.
const wildcard = "*"

// pattern covers origins: https://api.example.com, https://*.example.com, https://*, http://localhost:*.
type pattern struct {
	origin  grants.Origin // the host is the part after "*."
	below   bool          // "*.": names below the host, not the host itself
	anyHost bool          // "*": every name, but no address and nothing of localhost
	anyPort bool
}

func parsePattern(text string) (pattern, error) {
	var p pattern
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return p, errors.New("is neither http nor https")
	}
	rest, p.anyPort = strings.CutSuffix(rest, ":*")
	switch {
	case rest == wildcard || strings.HasPrefix(rest, "*:"):
		p.anyHost, rest = true, "name"+rest[1:]
	case strings.HasPrefix(rest, "*."):
		p.below, rest = true, rest[2:]
	}
	origin, err := grants.ParseOrigin(scheme + "://" + rest)
	if err != nil {
		return p, err
	}
	if _, literal := origin.Address(); literal && p.below {
		return p, errors.New("has a * before an address")
	}
	p.origin = origin
	return p, nil
}

// covers reports whether an origin is within the pattern. A * never stands for an address, localhost or a name below it: an origin
// that names one of the first two grants them whatever kind they are of, so an operator has to write them out.
func (p pattern) covers(o grants.Origin) bool {
	if o.Scheme != p.origin.Scheme || !p.anyPort && o.Port != p.origin.Port {
		return false
	}
	_, literal := o.Address()
	switch {
	case p.anyHost:
		return !literal && !o.Localhost() && !strings.HasSuffix(o.Host, ".localhost")
	case p.below:
		return strings.HasSuffix(o.Host, "."+p.origin.Host)
	}
	return o.Host == p.origin.Host
}

func anyCovers(patterns []string, origin string) bool {
	o, err := grants.ParseOrigin(origin)
	if err != nil {
		return false
	}
	for _, text := range patterns {
		if p, err := parsePattern(text); err == nil && p.covers(o) {
			return true
		}
	}
	return false
}

// hostCovered reports whether a host name is listed, itself or by "*.suffix" or "*".
func hostCovered(patterns []string, host string) bool {
	for _, p := range patterns {
		suffix, wild := strings.CutPrefix(strings.ToLower(p), "*")
		if !wild && suffix == host || wild && strings.HasSuffix(host, suffix) && (suffix == "" || suffix[0] == '.') {
			return true
		}
	}
	return false
}
