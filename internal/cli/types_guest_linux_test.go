package cli

import (
	"context"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// names is a set of members, by what has them.
type names map[string][]string

// walk lists, from inside a realm, every global that is not the language's own,
// and what it has.
const walk = `
import * as capabilities from 'realm:capabilities';
const language = new Set(('Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError EvalError ' +
	'RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis JSON Math Intl ArrayBuffer SharedArrayBuffer Atomics Uint8Array Int8Array Uint16Array ' +
	'Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet WeakRef ' +
	'Proxy Reflect FinalizationRegistry Iterator DisposableStack AsyncDisposableStack decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN').split(' '));
const own = o => Object.getOwnPropertyNames(o).filter(n => n !== 'constructor' && !(typeof o === 'function' && ['prototype', 'length', 'name', 'arguments', 'caller'].includes(n)));
const members = v => {
	if (typeof v === 'function') return v.prototype ? [...own(v), ...own(v.prototype)] : [];
	const proto = Object.getPrototypeOf(v);
	return [...own(v), ...(proto === Object.prototype || proto === null ? [] : own(proto))];
};
export default () => {
	const all = { 'realm:capabilities': Object.keys(capabilities) };
	for (const name of own(globalThis)) if (!language.has(name)) all[name] = members(globalThis[name]);
	if (all.WebAssembly) for (const name of own(WebAssembly)) if (WebAssembly[name].prototype) all['WebAssembly.' + name] = members(WebAssembly[name]);
	return all;
}`

func guestNames(t *testing.T, g grants.Grants) names {
	t.Helper()
	realm := os.Getenv("SUPERVISOR_REALM")
	if realm == "" {
		realm = "../../bin/realm"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	res, err := supervisor.RunContext(ctx, walk, g, supervisor.WithRealmPath(realm))
	if err != nil {
		t.Fatal(err)
	}
	var all names
	if err := res.Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	opens   = regexp.MustCompile(`(?m)^( *)(?:declare |export )?(?:abstract )?(const|class|function|module|namespace) ([\w$]+|"[^"]+")(.*)$`)
	member  = regexp.MustCompile(`^ +(?:static |readonly |get )*([\w$]+)[?(<:]`)
	comment = regexp.MustCompile(`(?s)/\*\*.*?\*/|//[^\n]*`)
)

// declaredNames reads what declarations declare: enough of the syntax for ours.
func declaredNames(text string) names {
	all := names{}
	scope, owner, depth := "", "", 0 // of a module or namespace; whose members follow, this far to the right
	for line := range strings.Lines(comment.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		m := opens.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "}"):
			scope, owner = "", ""
		case m != nil && (indent == 0 || indent == 2 && scope != ""):
			kind, name, rest := m[2], strings.Trim(m[3], `"`), m[4]
			if kind == "module" || kind == "namespace" {
				scope, owner = name, ""
				all[scope] = nil
				continue
			}
			owner, depth = name, indent+2
			if scope != "" {
				all[scope] = append(all[scope], name)
				owner = scope + "." + name
			}
			if scope == "" || kind == "class" {
				all[owner] = append(all[owner], oneLine(rest)...)
			}
		case owner != "" && indent == depth:
			if m := member.FindStringSubmatch(line); m != nil && m[1] != "constructor" {
				all[owner] = append(all[owner], m[1])
			}
		}
	}
	for owner, list := range all {
		slices.Sort(list)
		all[owner] = slices.Compact(list)
	}
	return all
}

// oneLine is the one member of an object's type that stands in a line.
func oneLine(rest string) []string {
	if body, ok := strings.CutPrefix(rest, ": { readonly "); ok {
		name, _, _ := strings.Cut(body, ":")
		return []string{name}
	}
	return nil
}

// undeclared are members that exist for the sake of old programs, and those
// that a declaration inherits.
func undeclared(owner, name string) bool {
	switch owner {
	case "Event":
		return slices.Contains([]string{"NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE", "srcElement", "cancelBubble", "returnValue", "initEvent"}, name)
	case "DOMException":
		return strings.HasSuffix(name, "_ERR") || name == "name" || name == "message"
	}
	return strings.HasSuffix(owner, "Error") && (name == "name" || name == "message")
}

func TestDeclarationsAreWhatAGuestHas(t *testing.T) {
	off := false
	for title, g := range map[string]grants.Grants{
		"nothing":  {},
		"tools":    {Tools: grants.Tools{Allowed: []string{"get_account", "with-dash"}}},
		"hardened": {Engine: grants.Engine{JIT: &off}},
	} {
		guest, declared := guestNames(t, g), declaredNames(declarations(&g))
		delete(declared, "input")                                                                              // only when it is given
		maps.DeleteFunc(declared, func(owner string, _ []string) bool { return strings.Contains(owner, "/") }) // another name of the same module
		for owner, real := range guest {
			list, ok := declared[owner]
			if !ok {
				t.Errorf("%s: %s is not declared", title, owner)
				continue
			}
			for _, name := range real {
				if !slices.Contains(list, name) && !undeclared(owner, name) {
					t.Errorf("%s: %s.%s is not declared", title, owner, name)
				}
			}
		}
		for owner, list := range declared {
			real, ok := guest[owner]
			if !ok && !strings.HasPrefix(owner, "realm:capabilities.") {
				t.Errorf("%s: %s is declared and is not there", title, owner)
				continue
			}
			for _, name := range list {
				if ok && !slices.Contains(real, name) {
					t.Errorf("%s: %s.%s is declared and is not there", title, owner, name)
				}
			}
		}
	}
}

// A model is told of every export and of every global that it may need, and of none that is not there.
func TestThePromptNamesWhatAGuestHas(t *testing.T) {
	guest, text := guestNames(t, grants.Grants{}), promptFor(nil)
	for _, name := range guest["realm:capabilities"] {
		if name != "SandboxAbortedError" && !strings.Contains(text, name) {
			t.Errorf("the prompt does not name %s", name)
		}
	}
	_, after, _ := strings.Cut(text, "Beside the language itself there are ")
	listed, _, _ := strings.Cut(after, ".\n")
	for name := range strings.FieldsFuncSeq(listed, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
		owner, member, _ := strings.Cut(name, ".")
		real, ok := guest[owner]
		if !ok || member != "" && !slices.Contains(real, member) {
			t.Errorf("the prompt names %s, which is not there", name)
		}
	}
	for _, name := range []string{"require", "process", "Buffer", "fs", "window", "document", "Deno", "fetch"} {
		if _, ok := guest[name]; ok || !strings.Contains(text, name) {
			t.Errorf("%s: there %v", name, ok)
		}
	}
	if text := promptFor(&grants.Grants{Modules: map[string]string{"lodash": "/opt/lodash.mjs"}, Wasm: []grants.Wasm{{Name: "calc"}}}); !strings.Contains(text, "may import lodash") || !strings.Contains(text, "calc") {
		t.Errorf("%s", text)
	}
}

// Whatever a tool is called, it is declared if and only if it is a global of the realm.
func TestToolsAreDeclaredWhereTheyAreGlobals(t *testing.T) {
	const list = `const all = new Set();
		for (let o = globalThis; o; o = Object.getPrototypeOf(o)) for (const name of Object.getOwnPropertyNames(o)) all.add(name);
		[...all]`
	realm := os.Getenv("SUPERVISOR_REALM")
	if realm == "" {
		realm = "../../bin/realm"
	}
	run := func(source string, g grants.Grants) (got []string) {
		t.Helper()
		res, err := supervisor.RunContext(t.Context(), source, g, supervisor.WithRealmPath(realm))
		if err == nil {
			err = res.Decode(&got)
		}
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, jit := range []bool{true, false} {
		g := grants.Grants{Engine: grants.Engine{JIT: &jit}}
		had := run(list, g)
		g.Tools.Allowed = append([]string{"get_account", "free", "input", "fetch", "process", "$x", "with-dash"}, had...)
		made := map[string]bool{}
		for _, name := range run(list, g) {
			made[name] = !slices.Contains(had, name)
		}
		text := declarations(&g)
		for _, name := range g.Tools.Allowed {
			if got := strings.Contains(text, "declare function "+name+"(params?: unknown)"); got != made[name] {
				t.Errorf("jit %v: %s is declared: %v, is a global: %v", jit, name, got, made[name])
			}
		}
	}
}
