package grants

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Describe says in plain words what g permits, one thing a line. Values of secrets and of the environment are not in it.
func Describe(g Grants) string {
	var d description
	d.paths("may read files below", g.Filesystem.Read)
	d.paths("may write files below", g.Filesystem.Write)
	d.network(g)
	d.subprocess(g.Subprocess)
	d.list("may read the environment variable", slices.Sorted(maps.Keys(g.Environment)))
	d.secrets(g)
	d.tools(g.Tools)
	for _, specifier := range slices.Sorted(maps.Keys(g.Modules)) {
		d.line("may import %s, which is %s", specifier, g.Modules[specifier])
	}
	for _, m := range g.Wasm {
		d.line("has the WebAssembly module %s, which is %s; its binding %s runs before the program", m.Name, m.WasmPath, m.JSBindingPath)
	}
	if len(d.lines) == 0 {
		d.line("may compute, and nothing else")
	}
	d.engine(g.Engine)
	d.limits(g.Resources)
	return strings.Join(d.lines, "\n") + "\n"
}

type description struct{ lines []string }

func (d *description) line(format string, args ...any) {
	d.lines = append(d.lines, printable(fmt.Sprintf(format, args...)))
}

func (d *description) list(verb string, values []string) {
	for _, value := range values {
		d.line("%s %s", verb, value)
	}
}

func (d *description) paths(verb string, roots []string) {
	for _, root := range roots {
		if root == "/" {
			d.line("%s /: every file of this host that the supervisor can reach", verb)
			continue
		}
		d.line("%s %s", verb, root)
	}
}

func (d *description) network(g Grants) {
	methods := g.Network.Methods
	if len(methods) == 0 {
		methods = []string{"GET"}
	}
	for _, origin := range g.Network.Origins {
		d.line("may send %s requests to %s", strings.Join(methods, ", "), origin)
	}
	for _, in := range g.Network.Inject {
		d.line("requests to %s carry the header %s with the secret %s, added by the supervisor", in.Origin, in.Header, in.Secret)
	}
	for _, host := range g.Network.PrivateHosts {
		d.line("%s may resolve to a private address", host)
	}
}

func (d *description) subprocess(s Subprocess) {
	for _, command := range s.Commands {
		d.line("may run %s in a jail without network, for at most %s each time", command, s.Timeout())
	}
	if len(s.Commands) == 0 {
		return
	}
	d.list("commands see the environment variable", slices.Sorted(maps.Keys(s.Environment)))
	d.list("commands may read", s.Sandbox.Read)
	d.list("commands may write", s.Sandbox.Write)
	d.list("commands may execute only", s.Sandbox.Execute)
}

func (d *description) secrets(g Grants) {
	for _, name := range slices.Sorted(maps.Keys(g.Secrets)) {
		use := "is used by the supervisor only and never shown to the guest"
		if g.guestMayRead(name, g.Secrets[name]) {
			use = "may be read by the guest"
		}
		d.line("the secret %s (%s) %s", name, g.Secrets[name], use)
	}
}

func (d *description) tools(t Tools) {
	kind := "host tool"
	if t.ReadOnly {
		kind = "host tool, if it declares itself read-only,"
	}
	d.list("may call the "+kind, t.Allowed)
}

func (d *description) engine(e Engine) {
	if e.JIT != nil && !*e.JIT {
		d.line("runs without a just-in-time compiler and without WebAssembly")
	}
	if e.TimeZone != "" {
		d.line("runs in the time zone %s", e.TimeZone)
	}
	if e.Locale != "" {
		d.line("runs in the locale %s", e.Locale)
	}
}

func (d *description) limits(r Resources) {
	resolved := Resources(r.Resolve())
	for _, l := range limitTable {
		origin := "the default"
		if l.Value(r) != 0 {
			origin = "given"
		}
		d.line("limit %s: %d (%s), %s", l.Key, l.Value(resolved), origin, l.Counts)
	}
}

// printable shows control characters escaped, so that a document cannot draw on the terminal of whoever checks it.
func printable(line string) string {
	if !hasControl(line) {
		return line
	}
	quoted := fmt.Sprintf("%q", line)
	return quoted[1 : len(quoted)-1]
}
