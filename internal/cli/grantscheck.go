package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"realm.internal/supervisor/internal/capability/filesystem"
	"realm.internal/supervisor/internal/capability/secret"
	"realm.internal/supervisor/internal/capability/subprocess"
	"realm.internal/supervisor/internal/sources"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

func (a *app) grantsCommand() *cobra.Command {
	check := &cobra.Command{
		Use:   "check FILE|-",
		Short: "Validate a grants document and say what it permits",
		Long: `Validates a grants document, opens what it names as a run here would, and says in
plain words what a guest may do under it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.checkGrants(args[0]) },
	}
	return parent("grants", "Check grants documents", check)
}

func (a *app) checkGrants(path string) error {
	g, err := a.loadGrants(path)
	if err != nil {
		return err
	}
	a.out.line("A guest under " + called(path) + ":")
	for _, line := range describe(g) {
		a.out.line("  - " + line)
	}
	refused, absent := a.unusable(g)
	for _, err := range absent {
		a.err.painted(yellow, "warning: "+called(path)+": "+err.Error())
	}
	for _, err := range refused {
		a.err.problem(called(path) + ": " + err.Error())
	}
	if len(refused) > 0 {
		return status(exitInvalid)
	}
	return nil
}

// describe says what g permits, a sentence a line, and what it does not.
func describe(g grants.Grants) []string {
	if n, err := g.Normalize(); err == nil {
		g = n
	}
	var d description
	d.list("may read files beneath %s", "may not read any file", g.Filesystem.Read)
	d.list("may write files beneath %s", "may not write any file", g.Filesystem.Write)
	if len(g.Network.Origins) > 0 {
		d.add("may send %s requests to %s", join(methodsOf(g.Network.Methods)), join(g.Network.Origins))
	} else {
		d.add("may not use the network")
	}
	for _, i := range g.Network.Inject {
		d.add("sends the secret %s in the header %s to %s without seeing it", i.Secret, i.Header, i.Origin)
	}
	if len(g.Network.PrivateHosts) > 0 {
		d.add("may reach %s even at private addresses", join(g.Network.PrivateHosts))
	}
	d.subprocess(g.Subprocess)
	d.list("may read the variables %s", "may not read any environment variable", keys(g.Environment))
	d.secrets(g)
	d.tools(g.Tools)
	d.list("may import %s beside realm:capabilities", "may import nothing but realm:capabilities", keys(g.Modules))
	if len(g.Wasm) > 0 {
		d.add("has the WebAssembly modules %s, whose bindings run first and define globals", join(wasmNames(g.Wasm)))
	}
	if g.Engine.JIT != nil && !*g.Engine.JIT {
		d.add("runs without a JIT compiler and without WebAssembly")
	}
	if g.Engine.TimeZone != "" {
		d.add("runs in the time zone %s", g.Engine.TimeZone)
	}
	if g.Engine.Locale != "" {
		d.add("runs in the locale %s", g.Engine.Locale)
	}
	d.limits(g.Resources)
	return d.lines
}

type description struct{ lines []string }

// add writes one sentence: what a document names must not look like another.
func (d *description) add(format string, args ...any) {
	d.lines = append(d.lines, strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", `\n`))
}

func (d *description) list(some, none string, values []string) {
	if len(values) == 0 {
		d.add("%s", none)
		return
	}
	d.add(some, join(values))
}

func (d *description) subprocess(s grants.Subprocess) {
	if len(s.Commands) == 0 {
		d.add("may not start any program")
		return
	}
	d.add("may start %s, each jailed, without network, for at most %d ms", join(s.Commands), s.Timeout().Milliseconds())
	if len(s.Environment) > 0 {
		d.add("gives those programs the variables %s", join(keys(s.Environment)))
	}
	if len(s.Sandbox.Read) > 0 {
		d.add("lets those programs read %s", join(s.Sandbox.Read))
	}
	if len(s.Sandbox.Write) > 0 {
		d.add("lets those programs write %s", join(s.Sandbox.Write))
	}
	if len(s.Sandbox.Execute) > 0 {
		d.add("lets those programs execute nothing but %s", join(s.Sandbox.Execute))
	}
}

func (d *description) secrets(g grants.Grants) {
	readable := readableSecrets(g)
	for _, name := range readable {
		d.add("may read the secret %s (%s)", name, g.Secrets[name])
	}
	if len(readable) == 0 {
		d.add("may not read any secret")
	}
}

// readableSecrets are those that a guest may read: not the ones that are only
// injected into requests.
func readableSecrets(g grants.Grants) []string {
	return slices.DeleteFunc(keys(g.Secrets), func(name string) bool {
		if guest := g.Secrets[name].Guest; guest != nil {
			return !*guest
		}
		return slices.ContainsFunc(g.Network.Inject, func(i grants.Injection) bool { return i.Secret == name })
	})
}

func (d *description) tools(t grants.Tools) {
	only := ""
	if t.ReadOnly {
		only = ", unless they declare effects"
	}
	d.list("may call the host tools %s"+only, "may not call any host tool", t.Allowed)
}

// limits names those that differ from the defaults, and the ones everybody asks for.
func (d *description) limits(r grants.Resources) {
	filled := grants.Resources(r.Resolve())
	for _, l := range grants.LimitTable() {
		asked := l.Value(r) != 0
		if always := l.Key == "wallClockMs" || l.Key == "memoryMb" || l.Key == "maxOperations"; !asked && !always {
			continue
		}
		note := ""
		if !asked {
			note = ", the default"
		}
		d.add("is limited to %d %s (%s%s)", l.Value(filled), l.Counts, l.Key, note)
	}
}

func join(values []string) string { return strings.Join(values, ", ") }

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func wasmNames(modules []grants.Wasm) []string {
	var names []string
	for _, m := range modules {
		names = append(names, m.Name)
	}
	return names
}

// unusable says what a run here would refuse of g: it opens what that opens. What is taken from the environment is only looked at,
// because the one of the run may be another.
func (a *app) unusable(g grants.Grants) (refused, absent []error) {
	protect := a.runnerFiles()
	if realm, err := supervisor.FindRealm(""); err == nil {
		protect = append(protect, realm)
	}
	var sourced sources.Reader
	_, modules := sourced.Modules(g.Modules, nil)
	_, wasm := sourced.Wasm(g.Wasm)
	for _, err := range []error{
		filesystem.Check(g.Filesystem.Read, g.Filesystem.Write, protect), subprocess.Check(g.Subprocess, protect), modules, wasm,
	} {
		refused = append(refused, split(err)...)
	}
	for _, name := range keys(g.Secrets) {
		s := g.Secrets[name]
		if _, set := a.LookupEnv(s.FromEnv); s.FromEnv != "" && !set {
			absent = append(absent, fmt.Errorf("secrets.%s: the environment variable %s is not set here; a run without it is refused", name, s.FromEnv))
			continue
		}
		one := grants.Grants{Secrets: map[string]grants.Secret{name: s}, Network: g.Network}
		if _, err := secret.Open(one, a.LookupEnv); err != nil {
			refused = append(refused, err)
		}
	}
	return refused, absent
}

// split is the errors that were joined.
func split(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range many.Unwrap() {
			all = append(all, split(e)...)
		}
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
