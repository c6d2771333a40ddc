package grants

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"realm.internal/supervisor/internal/document"
)

// reservedModules are the specifiers that the realm itself answers.
var reservedModules = [...]string{"realm:", "fino:ai/sandbox/"}

func (v *validator) network(n Network, secrets map[string]Secret) Network {
	n.Origins = v.origins(n.Origins)
	n.Methods = v.methods(n.Methods)
	n.Inject = v.injections(n, secrets)
	n.PrivateHosts = v.hosts(n.PrivateHosts)
	return n
}

func (v *validator) origins(values []string) []string {
	var normal []string
	for i, value := range values {
		at := document.Index("network.origins", i)
		o, err := ParseOrigin(value)
		if err != nil {
			v.add(at, quote(value)+" "+err.Error(), "write an origin, such as \"https://api.example.com\"")
			continue
		}
		if text := o.String(); !slices.Contains(normal, text) {
			normal = append(normal, text)
		}
	}
	return normal
}

func (v *validator) methods(values []string) []string {
	v.given("network.methods", values, "name methods, or leave it out for GET")
	if len(values) == 0 {
		return []string{"GET"}
	}
	var normal []string
	for i, value := range values {
		fix := "write a method, such as GET"
		if token(value) && value != strings.ToUpper(value) {
			fix = "write " + strings.ToUpper(value)
		}
		v.named(document.Index("network.methods", i), quote(value), value, validMethod, fix)
		if !slices.Contains(normal, value) {
			normal = append(normal, value)
		}
	}
	return normal
}

func (v *validator) injections(n Network, secrets map[string]Secret) []Injection {
	var normal []Injection
	for i, in := range n.Inject {
		at := document.Index("network.inject", i)
		o, err := ParseOrigin(in.Origin)
		switch {
		case err != nil:
			v.add(at+".origin", quote(in.Origin)+" "+err.Error(), "write one of network.origins")
		case !slices.Contains(n.Origins, o.String()):
			v.add(at+".origin", quote(in.Origin)+" is not a granted origin", "add it to network.origins")
		case o.Scheme == "http" && !o.Loopback():
			v.add(at+".origin", "a secret would cross the network unencrypted", "use https, or http on a loopback host")
		default:
			in.Origin = o.String()
		}
		v.check(at+".header", quote(in.Header), validInjectedHeader(in.Header), "name another header, such as Authorization")
		if _, ok := secrets[in.Secret]; !ok {
			v.add(at+".secret", quote(in.Secret)+" is not in secrets", "add it to secrets")
		}
		if hasControl(in.Prefix) || !isASCII(in.Prefix) {
			v.add(at+".prefix", "holds a character that headers do not have", "remove it")
		}
		for _, other := range normal {
			if other.Origin == in.Origin && strings.EqualFold(other.Header, in.Header) {
				v.add(at, fmt.Sprintf("the header %s of %s is injected twice", quote(in.Header), quote(in.Origin)), "remove one")
			}
		}
		normal = append(normal, in)
	}
	return normal
}

func (v *validator) hosts(values []string) []string {
	var normal []string
	for i, value := range values {
		at := document.Index("network.privateHosts", i)
		host, err := canonicalHost(value)
		if strings.Contains(value, "/") || strings.Count(value, ":") == 1 {
			err = errors.New("has more than a host name")
		}
		if err != nil {
			v.add(at, quote(value)+" "+err.Error(), "write a host name")
			continue
		}
		if _, err := netip.ParseAddr(host); err == nil {
			v.add(at, quote(value)+" is an address", "remove it: an origin that names an address grants it")
			continue
		}
		if !slices.Contains(normal, host) {
			normal = append(normal, host)
		}
	}
	return normal
}

func (v *validator) modules(modules map[string]string) map[string]string {
	var normal map[string]string
	for specifier, file := range modules {
		at := document.Join("modules", specifier)
		v.named(at, "the specifier "+quote(specifier), specifier, validSpecifier, "name what the source imports, such as lodash or @scope/name")
		for _, prefix := range reservedModules {
			if strings.HasPrefix(specifier, prefix) {
				v.add(at, "the specifier "+quote(specifier)+" is the realm's own", "rename it")
			}
		}
		if normal == nil {
			normal = map[string]string{}
		}
		normal[specifier] = v.path(at, file)
	}
	return normal
}

func (v *validator) wasm(modules []Wasm) []Wasm {
	var normal []Wasm
	for i, m := range modules {
		at := document.Index("wasm", i)
		v.named(at+".name", "the name "+quote(m.Name), m.Name, validTool, "name what the source imports")
		m.WasmPath = v.path(at+".wasmPath", m.WasmPath)
		if m.JSBindingPath != "" {
			m.JSBindingPath = v.path(at+".jsBindingPath", m.JSBindingPath)
		}
		if slices.ContainsFunc(normal, func(o Wasm) bool { return o.Name == m.Name }) {
			v.add(at+".name", "the name "+quote(m.Name)+" is used twice", "rename one")
		}
		normal = append(normal, m)
	}
	return normal
}

func (v *validator) engine(e Engine, modules []Wasm) {
	if e.TimeZone != "" && !knownZone(e.TimeZone) {
		fix := "write an IANA name, such as Europe/Berlin"
		if near, ok := nearZone(e.TimeZone); ok {
			fix = "write " + near
		}
		v.add("engine.timeZone", quote(e.TimeZone)+" is not a time zone name", fix)
	}
	if e.JIT != nil && !*e.JIT && len(modules) > 0 {
		v.add("engine.jit", fmt.Sprintf("false takes WebAssembly away, which wasm %s needs", quote(modules[0].Name)), "remove one of them")
	}
	if e.Locale != "" && !languageTag(e.Locale) {
		v.add("engine.locale", quote(e.Locale)+" is not a language tag", "write a BCP 47 tag, such as en-US")
	}
}

// languageTag reports whether s has the form of a BCP 47 tag: a language, and subtags. What the engine does not know of it, it
// leaves out; what has not the form can crash it.
func languageTag(s string) bool {
	language, _, _ := strings.Cut(s, "-")
	if len(language) < 2 || len(language) > 3 || strings.ContainsAny(language, "0123456789") {
		return false
	}
	for part := range strings.SplitSeq(s, "-") {
		if len(part) == 0 || len(part) > 8 || !identifier("a"+part, "") {
			return false
		}
	}
	return len(s) <= 64
}

// identifier reports whether s is short and made of letters, digits and the extra bytes, beginning with a letter.
func identifier(s, extra string) bool {
	for i := range len(s) {
		if c := s[i]; !letter(c) && (i == 0 || (c < '0' || c > '9') && strings.IndexByte(extra, c) < 0) {
			return false
		}
	}
	return s != "" && len(s) <= 64 && !strings.Contains(s, "//")
}
