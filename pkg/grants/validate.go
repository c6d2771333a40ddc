package grants

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"realm.internal/supervisor/internal/document"
)

// Problem is one thing that is wrong with a document: where, what, and the smallest change that mends it.
type Problem = document.Problem

// Error lists every problem that was found.
type Error = document.Error

// Validate reports values that cannot be granted, at most 50, as an *Error. It looks at the values alone: whether a path
// exists is found out when its grant is opened.
func (g Grants) Validate() error {
	_, err := g.Normalize()
	return err
}

// Normalize validates g and returns it with each value in its one canonical spelling: origins without default ports
// and with ASCII names, paths without a trailing slash, lists without duplicates, methods filled in. g is unchanged.
func (g Grants) Normalize() (Grants, error) { return g.normalize(&validator{}) }

// ValidateCeilings is Validate for the ceilings of a policy, where the name "*" stands for every name.
func (g Grants) ValidateCeilings() error {
	_, err := g.normalize(&validator{ceilings: true})
	return err
}

func (g Grants) normalize(v *validator) (Grants, error) {
	g.Filesystem.Read = v.paths("filesystem.read", g.Filesystem.Read)
	g.Filesystem.Write = v.paths("filesystem.write", g.Filesystem.Write)
	g.Network = v.network(g.Network, g.Secrets)
	g.Subprocess = v.subprocess(g.Subprocess)
	g.Environment = maps.Clone(g.Environment)
	for _, name := range slices.Sorted(maps.Keys(g.Environment)) {
		at := document.Join("environment", name)
		v.named(at, "the variable name "+quote(name), name, validVariable, "rename or remove it")
		if strings.Contains(g.Environment[name], "\x00") {
			v.add(at, "the value holds a NUL byte", "remove it")
		}
	}
	g.Secrets = v.secrets(g.Secrets)
	g.Tools.Allowed = v.tools(g.Tools.Allowed)
	g.Modules = v.modules(g.Modules)
	g.Wasm = v.wasm(g.Wasm)
	v.engine(g.Engine, g.Wasm)
	v.resources(g.Resources)
	if len(v.problems) > 0 {
		return Grants{}, &Error{Problems: v.problems}
	}
	return g, nil
}

// validator collects problems.
type validator struct {
	ceilings bool // "*" is a name
	problems []Problem
}

func (v *validator) add(path, message, fix string) {
	if len(v.problems) == document.MaxProblems {
		return
	}
	v.problems = append(v.problems, Problem{Path: path, Message: message, Fix: fix})
}

// check adds a problem if there is one, and reports whether the value is good.
func (v *validator) check(path, what, problem, fix string) bool {
	if problem != "" {
		v.add(path, what+" "+problem, fix)
	}
	return problem == ""
}

// named is check for what is granted by its name.
func (v *validator) named(at, what, name string, problem func(string) string, fix string) bool {
	return v.ceilings && name == "*" || v.check(at, what, problem(name), fix)
}

// given refuses a list that is empty where one that is left out is not the least: whoever writes it means the least.
func (v *validator) given(at string, values []string, fix string) {
	if values != nil && len(values) == 0 {
		v.add(at, "is an empty list", fix)
	}
}

func (v *validator) path(at, value string) string {
	problem := validPath(value)
	fix := "write an absolute path"
	if problem != "" && strings.HasPrefix(value, "/") && !strings.Contains(value, "\x00") {
		fix = "write " + quote(path.Clean(value))
	}
	v.check(at, quote(value), problem, fix)
	return path.Clean(value)
}

func (v *validator) paths(at string, values []string) []string {
	var clean []string
	for i, value := range values {
		if p := v.path(document.Index(at, i), value); !slices.Contains(clean, p) {
			clean = append(clean, p)
		}
	}
	return clean
}

func (v *validator) subprocess(s Subprocess) Subprocess {
	s.Commands = v.paths("subprocess.commands", s.Commands)
	v.given("subprocess.sandbox.execute", s.Sandbox.Execute, "name what may be executed, or leave it out for everything in the jail")
	s.Sandbox = Sandbox{
		Read:    v.paths("subprocess.sandbox.read", s.Sandbox.Read),
		Write:   v.paths("subprocess.sandbox.write", s.Sandbox.Write),
		Execute: v.paths("subprocess.sandbox.execute", s.Sandbox.Execute),
	}
	s.Environment = maps.Clone(s.Environment)
	for _, name := range slices.Sorted(maps.Keys(s.Environment)) {
		at := document.Join("subprocess.environment", name)
		if !v.named(at, "the variable name "+quote(name), name, validVariable, "rename or remove it") {
			continue
		}
		if reason := loaderVariable(name); reason != "" {
			v.add(at, name+" "+reason, "remove it")
		}
		if strings.Contains(s.Environment[name], "\x00") {
			v.add(at, "the value holds a NUL byte", "remove it")
		}
	}
	v.bound("subprocess."+timeoutKey, s.TimeoutMs, maxTimeoutMs, timeoutFix())
	return s
}

func (v *validator) secrets(secrets map[string]Secret) map[string]Secret {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		at, s := document.Join("secrets", name), secrets[name]
		v.named(at, "the secret name "+quote(name), name, validVariable, "rename or remove it")
		given := 0
		for _, source := range [...]string{s.Value, s.FromEnv, s.FromFile} {
			if source != "" {
				given++
			}
		}
		if given != 1 {
			v.add(at, fmt.Sprintf("has %d sources", given), "give one that is not empty: a plain string, fromEnv or fromFile")
		}
		if s.FromEnv != "" {
			v.check(at+".fromEnv", quote(s.FromEnv), validVariable(s.FromEnv), "name a variable")
		}
		if s.FromFile != "" {
			s.FromFile = v.path(at+".fromFile", s.FromFile)
		}
	}
	return maps.Clone(secrets)
}

func (v *validator) tools(names []string) []string {
	var unique []string
	for i, name := range names {
		v.named(document.Index("tools.allowed", i), "the tool name "+quote(name), name, validTool, "name a registered tool")
		if !slices.Contains(unique, name) {
			unique = append(unique, name)
		}
	}
	return unique
}

func (v *validator) resources(r Resources) {
	for _, l := range limitTable {
		v.bound("resources."+l.Key, *l.field(&r), l.Maximum, l.fix())
	}
}

func (v *validator) bound(at string, n, maximum int64, fix string) {
	switch {
	case n < 0:
		v.add(at, fmt.Sprintf("%d is negative", n), fix)
	case n > maximum:
		v.add(at, fmt.Sprintf("%d is above the maximum of %d", n, maximum), fix)
	}
}

func quote(s string) string { return fmt.Sprintf("%q", Shorten(s)) }
