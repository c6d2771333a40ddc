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

func TestRejectionsThatAreHandledInTimeAreNone(t *testing.T) {
	for _, source := range []string{
		"Promise.reject(1).catch(() => {}); 'ok'",
		"const p = Promise.reject(1); await null; await null; p.catch(() => {}); 'ok'",
		"const p = Promise.reject(1); setTimeout(() => p.catch(() => {}), 1); await new Promise((r) => setTimeout(r, 5)); 'ok'",
		"try { await Promise.reject(1) } catch { 'ok' }",
		"await Promise.allSettled([Promise.reject(1)]); 'ok'",
	} {
		if o := runSource(t, source, nil); o.value != `"ok"` {
			t.Errorf("%s: %+v", source, o.failure)
		}
	}
}

func TestAbsentGlobalsAreUndefinedAndHinted(t *testing.T) {
	for _, name := range []string{"require", "process", "Buffer", "fetch", "XMLHttpRequest", "WebSocket", "fs", "window", "document", "Deno", "Bun", "readText"} {
		if o := runSource(t, "typeof "+name, nil); o.value != `"undefined"` {
			t.Errorf("typeof %s is %s", name, o.value)
		}
		o := runSource(t, name+".x", nil)
		if o.failure == nil || o.failure.Code != "RUNTIME" || o.failure.Hint == "" || !strings.Contains(o.failure.Message, name) {
			t.Errorf("%s: %+v", name, o.failure)
		}
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
