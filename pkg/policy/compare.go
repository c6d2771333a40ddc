package policy

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"realm.internal/supervisor/internal/document"
	"realm.internal/supervisor/pkg/grants"
)

// comparison collects what one check says.
type comparison struct {
	ceiling grants.Grants
	from    sources
	lines   []Line
}

func (c *comparison) add(path, value string, allowed bool, reason, fix string) {
	line := Line{Path: path, Value: value, Allowed: allowed}
	if !allowed {
		line.Reason, line.Fix = reason, fix
	}
	c.lines = append(c.lines, line)
}

// beyond is the reason of whatever is not among what the policy lists.
func beyond(what string, listed []string) string {
	if len(listed) == 0 {
		return "is beyond the policy, which allows no " + what
	}
	const shown = 8
	if len(listed) > shown {
		listed = append(slices.Clone(listed[:shown]), fmt.Sprintf("and %d more", len(listed)-shown))
	}
	return "is beyond the policy, which allows the " + what + " " + strings.Join(listed, ", ")
}

// instead mends what is beyond the policy.
func instead(listed []string) string {
	if len(listed) == 0 {
		return "remove it"
	}
	return "use one of them, or remove it"
}

// name adds one thing that the policy lists by name, pattern or path.
func (c *comparison) name(at, value string, allowed bool, what string, listed []string) {
	c.add(at, value, allowed, beyond(what, listed), instead(listed))
}

func (c *comparison) roots(at string, asked, listed []string) {
	fix := "ask for a directory within one of them"
	if len(listed) == 0 {
		fix = instead(nil)
	}
	for i, root := range asked {
		c.add(document.Index(at, i), root, covered(root, listed), beyond("roots", listed), fix)
	}
}

// covered reports whether a clean path is one of the listed ones or lies below one.
func covered(p string, listed []string) bool {
	return slices.ContainsFunc(listed, func(root string) bool {
		root = path.Clean(root)
		return root == "/" || p == root || strings.HasPrefix(p, root+"/")
	})
}

// named reports whether a name is listed, itself or by "*".
func named(name string, listed []string) bool {
	return slices.Contains(listed, name) || slices.Contains(listed, wildcard)
}

func (c *comparison) network(n grants.Network) {
	limit := c.ceiling.Network
	for i, origin := range n.Origins {
		c.name(document.Index("network.origins", i), origin, anyCovers(limit.Origins, origin), "origins", limit.Origins)
	}
	methods := limit.Methods
	if len(methods) == 0 {
		methods = []string{"GET"}
	}
	for i, method := range n.Methods {
		if len(n.Origins) > 0 {
			c.name(document.Index("network.methods", i), method, named(method, methods), "methods", methods)
		}
	}
	for i, in := range n.Inject {
		allowed := slices.ContainsFunc(limit.Inject, func(l grants.Injection) bool {
			return anyCovers([]string{l.Origin}, in.Origin) && (l.Header == wildcard || strings.EqualFold(l.Header, in.Header)) &&
				(l.Secret == wildcard || l.Secret == in.Secret) && (l.Prefix == in.Prefix || l.Header == wildcard || l.Prefix == wildcard)
		})
		c.add(document.Index("network.inject", i), fmt.Sprintf("the header %s of %s with the secret %s", in.Header, in.Origin, in.Secret), allowed,
			"is beyond the policy, which lists no such injection", "remove it")
	}
	for i, host := range n.PrivateHosts {
		c.name(document.Index("network.privateHosts", i), host, hostCovered(limit.PrivateHosts, host), "private hosts", limit.PrivateHosts)
	}
}

func (c *comparison) subprocess(s grants.Subprocess) {
	limit := c.ceiling.Subprocess
	for i, command := range s.Commands {
		c.name(document.Index("subprocess.commands", i), command, slices.Contains(limit.Commands, command), "commands", limit.Commands)
	}
	c.variables("subprocess.environment", s.Environment, limit.Environment)
	c.roots("subprocess.sandbox.read", s.Sandbox.Read, limit.Sandbox.Read)
	c.roots("subprocess.sandbox.write", s.Sandbox.Write, limit.Sandbox.Write)
	if len(s.Commands) == 0 {
		return
	}
	if len(limit.Sandbox.Execute) > 0 {
		if len(s.Sandbox.Execute) == 0 {
			c.add("subprocess.sandbox.execute", "every program in the jail", false, beyond("programs", limit.Sandbox.Execute), "list those that are needed")
		}
		c.roots("subprocess.sandbox.execute", s.Sandbox.Execute, limit.Sandbox.Execute)
	}
	c.limit("subprocess.timeoutMs", s.TimeoutMs, s.Timeout().Milliseconds(), limit.Timeout().Milliseconds())
}

// variables compares names, and values without showing them.
func (c *comparison) variables(at string, asked, listed map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		value, ok := listed[name]
		if !ok {
			value, ok = listed[wildcard]
		}
		names := slices.Sorted(maps.Keys(listed))
		reason, fix := beyond("variables", names), instead(names)
		if ok {
			reason, fix = "has another value than the policy allows", "use the policy's value, or remove it"
		}
		c.add(document.Join(at, name), "the variable "+name, ok && (value == wildcard || value == asked[name]), reason, fix)
	}
}

func (c *comparison) secret(name string, g grants.Grants) {
	asked := g.Secrets[name]
	at, what := document.Join("secrets", name), fmt.Sprintf("the secret %s (%s)", name, asked)
	listed, ok := c.ceiling.Secrets[name]
	if !ok {
		listed, ok = c.ceiling.Secrets[wildcard]
	}
	sourced := asked.FromEnv != "" || asked.FromFile != ""
	switch {
	case sourced && c.from == noSources && !ok:
		c.add(at, what, false, "is read on the host, which only the policy may ask for", "use a profile that has it")
	case sourced && c.from == noSources:
		c.add(at, what, false, "is read on the host, which only the policy may ask for", "use a profile, or give the secret by value")
	case c.from == profileSources:
		c.add(at, what, true, "", "")
	case !ok:
		c.name(at, what, false, "secrets", slices.Sorted(maps.Keys(c.ceiling.Secrets)))
	case sourced && (asked.FromEnv != listed.FromEnv || asked.FromFile != listed.FromFile):
		c.add(at, what, false, "is beyond the policy, which allows another source", "give the secret by value")
	case listed.Guest != nil && !*listed.Guest && guestMayRead(name, g):
		c.add(at, what, false, "may be read by the guest, which the policy does not allow", "write guest: false")
	default:
		c.add(at, what, true, "", "")
	}
}

func guestMayRead(name string, g grants.Grants) bool {
	_, err := grants.NewChecker(g).Secret(name)
	return err == nil
}

func (c *comparison) tools(t grants.Tools) {
	limit := c.ceiling.Tools
	for i, name := range t.Allowed {
		c.name(document.Index("tools.allowed", i), "the tool "+name, named(name, limit.Allowed), "tools", limit.Allowed)
	}
	if limit.ReadOnly && len(t.Allowed) > 0 {
		c.add("tools.readOnly", "tools that write", t.ReadOnly, "are not allowed by the policy", "write tools: {readOnly: true}")
	}
}

func (c *comparison) module(specifier, file string) {
	listed, ok := c.ceiling.Modules[specifier]
	if !ok {
		listed, ok = c.ceiling.Modules[wildcard]
	}
	c.source(document.Join("modules", specifier), fmt.Sprintf("the module %s (%s)", specifier, file), ok && covered(file, []string{listed}),
		beyond("modules", slices.Sorted(maps.Keys(c.ceiling.Modules))))
}

func (c *comparison) wasm(at string, m grants.Wasm) {
	allowed := slices.ContainsFunc(c.ceiling.Wasm, func(l grants.Wasm) bool {
		return (l.Name == wildcard || l.Name == m.Name) && covered(m.WasmPath, []string{l.WasmPath}) &&
			(m.JSBindingPath == "" || l.JSBindingPath != "" && covered(m.JSBindingPath, []string{l.JSBindingPath}))
	})
	c.source(at, fmt.Sprintf("the WebAssembly module %s (%s)", m.Name, m.WasmPath), allowed, "is beyond the policy, which lists no such module")
}

// source adds what is read on the host: allowed by the ceilings, to a profile always and to a caller never.
func (c *comparison) source(at, what string, listed bool, reason string) {
	switch c.from {
	case profileSources:
		listed = true
	case noSources:
		listed, reason = false, "is read on the host, which only the policy may ask for"
	}
	c.add(at, what, listed, reason, "use a profile that has it")
}

func (c *comparison) limits(asked grants.Resources) {
	want, most := grants.Resources(asked.Resolve()), grants.Resources(c.ceiling.Resources.Resolve())
	for _, l := range grants.LimitTable() {
		c.limit("resources."+l.Key, l.Value(asked), l.Value(want), l.Value(most))
	}
}

// limit compares one limit; given is 0 where the default counts.
func (c *comparison) limit(at string, given, want, most int64) {
	value := fmt.Sprint(want)
	if given == 0 {
		value += " (the default)"
	}
	c.add(at, value, want <= most, fmt.Sprintf("is above the policy's %d", most), fmt.Sprintf("ask for %d at most", most))
}
