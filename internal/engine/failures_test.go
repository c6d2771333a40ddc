package engine

import (
	"strings"
	"testing"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

func named(name string) func(*rpc.Execute, *supervisor, *v8.Realm) {
	return func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) { x.Name = name }
}

func TestWhatIsThrownIsTold(t *testing.T) {
	for _, c := range []struct{ name, source, code, errorName, message, thrown string }{
		{"an error", "throw new TypeError('x')", "RUNTIME", "TypeError", "x", ""},
		{"an error of one's own", "class MyError extends Error { name = 'MyError'; extra = 7 }\nthrow new MyError('own')", "RUNTIME", "MyError", "own", `"extra":7`},
		{"a cause", "throw new Error('a', {cause: new RangeError('b')})", "RUNTIME", "Error", "a", `"b"`},
		{"many errors", "await Promise.any([Promise.reject(new Error('a')), Promise.reject(1)])", "RUNTIME", "AggregateError", "All promises were rejected", `"a"`},
		{"a string", "throw 'x'", "RUNTIME", "", "x", `"x"`},
		{"null", "throw null", "RUNTIME", "", "null", `null`},
		{"undefined", "throw undefined", "RUNTIME", "", "undefined", `{"$type":"undefined"}`},
		{"an object", "throw {a: 1}", "RUNTIME", "", "{ a: 1 }", `{"a":1}`},
		{"a symbol", "throw Symbol('s')", "RUNTIME", "", "Symbol(s)", ""},
		{"a function", "throw function f() {}", "RUNTIME", "", "[Function: f]", ""},
		{"a promise that was rejected", "new Promise((_, reject) => reject(new TypeError('r')))", "RUNTIME", "TypeError", "r", ""},
		{"a rejection that nobody handles", "Promise.reject(new Error('x')); 1", "RUNTIME", "Error", "x", ""},
		{"a rejection that nobody handles while the run waits for ever", "Promise.reject(new Error('x')); await new Promise(() => {})", "RUNTIME", "Error", "x", ""},
		{"the end of the stack", "function f() { f() }\nf()", "RUNTIME", "RangeError", "Maximum call stack size exceeded", ""},
		{"a buffer that cannot be", "const kept = []; for (;;) kept.push(new ArrayBuffer(2 ** 32))", "OOM", "RangeError", "Array buffer allocation failed", ""},
		{"a hostile message", "const e = new Error('x'); Object.defineProperty(e, 'message', {get() { throw 1 }}); throw e", "RUNTIME", "Error", "", ""},
		{"a proxy", "throw new Proxy({}, {get() { throw new Error('trap') }})", "RUNTIME", "", "", ""},
	} {
		o := runSource(t, c.source, nil)
		f := o.failure
		if f == nil {
			t.Errorf("%s: gives %s", c.name, o.value)
			continue
		}
		if f.Code != c.code || f.Name != c.errorName || !strings.Contains(f.Message, c.message) {
			t.Errorf("%s: %s %s: %s", c.name, f.Code, f.Name, f.Message)
		}
		if c.thrown != "" && !strings.Contains(show(t, f.Thrown), c.thrown) {
			t.Errorf("%s: threw %s", c.name, show(t, f.Thrown))
		}
	}
}

// The error stays the guest's own; the hint says what no part of it does.
func TestARejectionThatNobodyAwaitedIsCalledSo(t *testing.T) {
	for _, c := range []struct {
		source string
		hint   string // what it holds; "" for no hint
	}{
		{"Promise.reject(new Error('x')); 1", "nobody awaited"},
		{"async function lost() { throw new TypeError('x') }\nexport default async () => { lost(); return 1 }", "nobody awaited"},
		{"Promise.reject('x'); await new Promise(() => {})", "nobody awaited"},
		{"Promise.reject(new Error('x'));\nexport default () => 1", "nobody awaited"},
		{"Promise.reject(1).catch(() => {}); Promise.reject(new Error('x')); Promise.reject(2).catch(() => {}); 1", "nobody awaited"},
		{"export default async () => { new Promise((_, no) => setTimeout(no, 1)); await new Promise((r) => setTimeout(r, 5)); return 1 }", "nobody awaited"},
		{"(async () => { process.exit() })(); 1", "there is no process here"},
		{"await Promise.reject(new Error('x'))", ""},
		{"export default () => Promise.reject(new Error('x'))", ""},
		{"throw new Error('x')", ""},
		{"setTimeout(() => { throw new Error('x') }); 1; await new Promise(() => {})", ""},
	} {
		f := runSource(t, c.source, nil).failure
		if f == nil || f.Code != "RUNTIME" || !strings.Contains(f.Hint, c.hint) || c.hint == "" && f.Hint != "" || strings.Contains(f.Message, "await") {
			t.Errorf("%s: %+v", c.source, f)
		}
	}
}

func TestCharactersThatAreNotSeenAreNamed(t *testing.T) {
	for _, c := range []struct {
		source, mode, message string
		line, column          int64
	}{
		{"1;\n a\x00b", "auto", "U+0000, a NUL", 2, 3},
		{"1;\n a\x00b", "module", "U+0000, a NUL", 2, 3},
		{"1;\n a\x00b", "script", "U+0000, a NUL", 2, 3},
		{"1;\n a\x00b", "function", "U+0000, a NUL", 2, 3},
		{"return 1;\n\x00", "auto", "U+0000, a NUL", 2, 1},
		{"{ a: 1, \x00b: 2 }", "auto", "U+0000, a NUL", 1, 9},
		{"let a: number = 1;\n\x00", "auto", "U+0000, a NUL", 2, 1},
		{"enum E { A }\r\n  \x00", "auto", "U+0000, a NUL", 2, 3},
		{"const s = '😀'; \u200b1", "auto", "U+200B, which cannot be seen", 1, 17},
		{"const s = \u201cx\u201d", "auto", "U+201C \u201c", 1, 11},
	} {
		f := runSource(t, c.source, func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) { x.Mode = c.mode }).failure
		if f == nil || f.Code != "VALIDATION" || !strings.HasSuffix(f.Message, c.message) || f.Line != c.line || f.Column != c.column {
			t.Errorf("%s %q: %+v", c.mode, c.source, f)
		}
	}
	for _, source := range []string{"'a\x00b'.length", "/* \x00 */ `a\x00b`.length", "let s: string = 'a\x00b'; s.length", "enum E { A }\n'a\x00b'.length // \x00"} {
		if o := runSource(t, source, nil); o.value != "3" {
			t.Errorf("%q: %s %+v", source, o.value, o.failure)
		}
	}
}

// What is too deep for V8 is not given to another compiler, whose stack would be all of the realm's memory.
func TestSourcesThatNestTooDeepAreRefused(t *testing.T) {
	for _, source := range []string{strings.Repeat("(", 100_000), "f<a>(b);\n" + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000)} {
		f := runSource(t, source, nil).failure
		if f == nil || f.Code != "VALIDATION" || f.Phase != "compile" || f.Name != "RangeError" {
			t.Errorf("%.9s: %+v", source, f)
		}
	}
}

func TestRejectionsThatAreHandledInTimeAreNone(t *testing.T) {
	for _, source := range []string{
		"Promise.reject(1).catch(() => {}); 'ok'",
		"const p = Promise.reject(1); await null; await null; p.catch(() => {}); 'ok'",
		"const p = Promise.reject(1); setTimeout(() => p.catch(() => {}), 1); await new Promise((r) => setTimeout(r, 5)); 'ok'",
		"try { await Promise.reject(1) } catch { 'ok' }",
		"await Promise.allSettled([Promise.reject(1)]); 'ok'",
		"await Promise.allSettled(Array.from({ length: 50_000 }, async () => { throw new Error('row') })); 'ok'",
		"const all = Array.from({ length: 50_000 }, async () => { throw new Error('row') }); for (const p of all.reverse()) await p.catch(() => {}); 'ok'",
		"const p = Promise.reject(new Error('x'));\nexport default async () => { try { await p } catch { return 'ok' } }",
		"const p = Promise.reject(new Error('x'));\nexport default () => { p.catch(() => {}); return 'ok' }",
	} {
		if o := runSource(t, source, nil); o.value != `"ok"` {
			t.Errorf("%s: %+v", source, o.failure)
		}
	}
}

// Whatever is compiled after it.
func TestAnUncaughtExceptionIsKept(t *testing.T) {
	f := runSource(t, "queueMicrotask(() => { throw new Error('real') });\nqueueMicrotask(() => { import('lib') })",
		granting(file("lib", "lib", "l.ts", "export const x: number = 1"))).failure
	if f == nil || f.Message != "real" || f.Line != 1 {
		t.Errorf("%+v", f)
	}
}

func TestAbsentGlobalsAreUndefinedAndHinted(t *testing.T) {
	for _, name := range []string{"require", "process", "Buffer", "fetch", "XMLHttpRequest", "WebSocket", "fs", "window", "document", "Deno", "Bun", "readText",
		"Response", "Headers", "FormData", "Worker", "importScripts", "prompt", "print", "requestAnimationFrame", "SandboxDeniedError", "input"} {
		if o := runSource(t, "typeof "+name, nil); o.value != `"undefined"` {
			t.Errorf("typeof %s is %s", name, o.value)
		}
		o := runSource(t, name+".x", nil)
		if o.failure == nil || o.failure.Code != "RUNTIME" || o.failure.Hint == "" || !strings.Contains(o.failure.Message, name) {
			t.Errorf("%s: %+v", name, o.failure)
		}
	}
	for _, source := range []string{"globalThis.fetch('https://a/')", "new globalThis.Worker('a.js')"} {
		if o := runSource(t, source, nil); o.failure == nil || o.failure.Name != "TypeError" || o.failure.Hint == "" {
			t.Errorf("%s: %+v", source, o.failure)
		}
	}
	o := runSource(t, "globalThis.input()", func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) { x.Input = encoded(1.0) })
	if o.failure == nil || o.failure.Name != "TypeError" || o.failure.Hint != "" {
		t.Errorf("an input that is there: %+v", o.failure)
	}
	if o := runSource(t, "globalThis.missing()", nil); o.failure.Hint != "" {
		t.Errorf("a hint for anything: %q", o.failure.Hint)
	}
	if o := runSource(t, "missing", nil); o.failure.Hint != "" {
		t.Errorf("a hint for anything: %q", o.failure.Hint)
	}
}

func TestWhatCannotCrossIsNamed(t *testing.T) {
	for source, path := range map[string]string{
		"({items: [1, 2, 3, {callback() {}}]})": "result.items[3].callback",
		"Symbol('x')":                           "result",
		"new Proxy({}, {})":                     "result",
		"({w: new WeakMap()})":                  "result.w",
		"[/x/, [1, 2].values()]":                "result[1]",
		"({a: {b: 'x'[Symbol.iterator]()}})":    "result.a.b",
		"['x'.matchAll(/x/g)]":                  "result[0]",
	} {
		f := runSource(t, source, nil).failure
		if f == nil || f.Code != "VALIDATION" || f.Phase != "serialize" || !strings.HasPrefix(f.Message, path+" ") {
			t.Errorf("%s: %+v", source, f)
		}
	}
	under := runSource(t, "'x'.repeat(100)", func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) { x.Limits.MaxResultBytes = 102 })
	above := runSource(t, "'x'.repeat(101)", func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) { x.Limits.MaxResultBytes = 102 })
	if under.failure != nil || above.failure == nil || above.failure.Code != "VALIDATION" ||
		!strings.Contains(above.failure.Message, "102 bytes, the limit maxResultBytes") || above.failure.Hint == "" {
		t.Errorf("%+v %+v", under.failure, above.failure)
	}
}

func TestTimeZonesThatTheEngineDoesNotKnowAreRefused(t *testing.T) {
	zone := func(name string) func(*rpc.Execute, *supervisor, *v8.Realm) {
		return func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) { x.TimeZone = name }
	}
	for _, name := range []string{"Mars/X", "europe/berlin", "Z"} {
		if f := runSource(t, "1", zone(name)).failure; f == nil || f.Code != "VALIDATION" || !strings.Contains(f.Message, name) || f.Hint == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, name := range []string{"", "UTC", "Europe/Berlin", "US/Pacific", "Asia/Kolkata", "Etc/GMT+5"} {
		if o := runSource(t, "1", zone(name)); o.failure != nil {
			t.Errorf("%s: %+v", name, o.failure)
		}
	}
}
