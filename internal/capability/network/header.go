package network

import (
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// userAgent is what a request says when the guest says nothing.
const userAgent = "supervisor"

// requestHeader checks the guest's headers.
func requestHeader(t grants.Fetch, r Request) (http.Header, error) {
	if len(r.Body) > 0 && (t.Method() == http.MethodGet || t.Method() == http.MethodHead) {
		return nil, &capability.Failure{Code: "EINVAL", Message: "a " + t.Method() + " request cannot have a body"}
	}
	injected := map[string]bool{}
	for _, in := range t.Injections() {
		injected[plainName(in.Header)] = true
	}
	header, size := http.Header{"User-Agent": {userAgent}}, 0
	given := map[string]bool{}
	for _, h := range r.Headers {
		name, value := h[0], h[1]
		if size += len(name) + len(value) + len(": \r\n"); size > maxHeaderBytes {
			return nil, denyHeader(t, "the request's headers are larger than 64 KiB", "")
		}
		rule, hint := refuseHeader(name, value, injected)
		if rule != "" {
			return nil, denyHeader(t, rule, hint)
		}
		key := http.CanonicalHeaderKey(name)
		if !given[key] {
			given[key] = true
			header.Del(key)
		}
		header.Add(key, value)
	}
	// What the origin may compress with is what can be counted here, whatever the guest asks for.
	header.Set("Accept-Encoding", "gzip")
	return header, nil
}

func denyHeader(t grants.Fetch, rule, hint string) error {
	return &grants.Denial{Capability: grants.CapabilityNetwork, Target: t.Target(), Rule: rule, Hint: hint}
}

// refuseHeader returns why a header is refused, "" when it is not.
func refuseHeader(name, value string, injected map[string]bool) (rule, hint string) {
	if !httpguts.ValidHeaderFieldName(name) {
		return "a header's name is malformed", ""
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return "the value of the header " + grants.Shorten(name) + " is malformed", ""
	}
	plain := plainName(name)
	if injected[plain] {
		return "the header " + grants.Shorten(name) + " is the supervisor's", "leave the header out: the supervisor adds it"
	}
	if framing(plain) || strings.HasPrefix(plain, "proxy-") || strings.HasPrefix(plain, "sec-") {
		return "the header " + grants.Shorten(name) + " is the transport's", "leave the header out"
	}
	if override(plain) {
		return "the header " + grants.Shorten(name) + " replaces the method that was granted", "send the request with that method"
	}
	return "", ""
}

// plainName is the name as servers compare it: many take an underscore for a hyphen.
func plainName(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "_", "-")
}

// framing reports whether a header says where a message ends, to whom it goes or by what protocol.
func framing(name string) bool {
	switch name {
	case "connection", "content-length", "expect", "host", "http2-settings", "keep-alive", "te", "trailer",
		"transfer-encoding", "upgrade":
		return true
	}
	return false
}

// override reports whether servers take the method from this header and not from the request line.
func override(name string) bool {
	switch name {
	case "x-http-method", "x-http-method-override", "x-method-override":
		return true
	}
	return false
}

// harmless reports whether a header goes along to another origin. Any other may be a credential.
func harmless(name string) bool {
	switch name {
	case "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Encoding",
		"Content-Language", "Content-Type", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
		"If-Unmodified-Since", "Range", "User-Agent":
		return true
	}
	return false
}

// trimHeader removes what a redirect must not carry on to the next hop.
func trimHeader(header http.Header, next grants.Fetch, keepBody bool) {
	if !keepBody {
		for _, name := range [...]string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"} {
			header.Del(name)
		}
	}
	if !next.Crossed() {
		return
	}
	for name := range header {
		if !harmless(name) {
			delete(header, name)
		}
	}
}
