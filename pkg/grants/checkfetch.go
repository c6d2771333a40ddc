package grants

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// maxRedirects is how many redirects one fetch may follow.
const maxRedirects = 5

// Fetch decides about an HTTP request. An empty method is GET. Nothing has been resolved yet. The error is a *Denial.
func (c *Checker) Fetch(method, target string) (Fetch, error) {
	u, origin, err := parseURL(target)
	if err != nil {
		return Fetch{}, &Denial{CapabilityNetwork, rawTarget(target), "the URL " + err.Error(), ""}
	}
	t, err := c.request(method, u, origin)
	if err != nil {
		return Fetch{}, err
	}
	t.inject = slices.Clone(c.inject[origin])
	return t, nil
}

// Redirect decides about following a redirect of from to target, which may be relative, with method: a decision as
// new as the first one. Once the origin changes nothing is injected any more, also not after a way back. The error is
// a *Denial.
func (c *Checker) Redirect(from Fetch, method, target string) (Fetch, error) {
	if !from.valid {
		return Fetch{}, &Denial{CapabilityNetwork, rawTarget(target), "a redirect of a request that was not granted", ""}
	}
	if from.hops >= maxRedirects {
		return Fetch{}, &Denial{CapabilityNetwork, rawTarget(target), fmt.Sprintf("more than %d redirects", maxRedirects), ""}
	}
	relative, err := url.Parse(target)
	if err != nil || len(target) > maxURL {
		return Fetch{}, &Denial{CapabilityNetwork, rawTarget(target), "the redirect's URL is malformed", ""}
	}
	u, origin, err := parseURL(from.url.ResolveReference(relative).String())
	if err != nil {
		return Fetch{}, &Denial{CapabilityNetwork, rawTarget(target), "the redirect's URL " + err.Error(), ""}
	}
	t, err := c.request(method, u, origin)
	if err != nil {
		return Fetch{}, err
	}
	t.hops = from.hops + 1
	t.crossed = from.crossed || origin != from.origin
	if !t.crossed {
		t.inject = slices.Clone(from.inject)
	}
	return t, nil
}

// request decides about one request by origin and method.
func (c *Checker) request(method string, u *url.URL, origin Origin) (Fetch, error) {
	deny := func(rule, hint string) (Fetch, error) {
		return Fetch{}, &Denial{CapabilityNetwork, urlTarget(u), rule, hint}
	}
	if method == "" {
		method = "GET"
	}
	method = strings.ToUpper(method)
	if problem := validMethod(method); problem != "" {
		return deny(fmt.Sprintf("the method %q %s", Shorten(method), problem), "")
	}
	allowed := c.grants.Network.Methods
	if !slices.Contains(c.origins, origin) {
		return deny("the origin is not granted", c.networkHint(origin, method))
	}
	if !slices.Contains(allowed, method) {
		return deny("the method "+method+" is not granted", c.networkHint(origin, method))
	}
	u.Fragment, u.RawFragment = "", ""
	return Fetch{
		method:  method,
		url:     *u,
		origin:  origin,
		private: slices.Contains(c.grants.Network.PrivateHosts, origin.Host),
		limit:   c.limits.MaxNetworkBytes,
		valid:   true,
	}, nil
}

// networkHint keeps the methods that granted origins have: a list takes the place of GET.
func (c *Checker) networkHint(origin Origin, method string) string {
	methods := []string{method}
	if len(c.origins) > 0 {
		methods = slices.Clone(c.grants.Network.Methods)
		if !slices.Contains(methods, method) {
			methods = append(methods, method)
		}
	}
	if slices.Equal(methods, []string{"GET"}) {
		return fmt.Sprintf("network: {origins: [%s]}", flow(origin.String()))
	}
	return fmt.Sprintf("network: {origins: [%s], methods: [%s]}", flow(origin.String()), strings.Join(methods, ", "))
}

// rawTarget is a URL that could not be parsed, without what may be a query or credentials.
func rawTarget(target string) string {
	target, _, _ = strings.Cut(target, "?")
	target, _, _ = strings.Cut(target, "#")
	if at := strings.LastIndexByte(target, '@'); at >= 0 {
		target = target[at+1:]
	}
	return Target(target)
}
