package prelude_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"realm.internal/supervisor/internal/engine/prelude"
	"realm.internal/supervisor/internal/v8"
)

// host is the least that a guest without capabilities needs.
type host struct{ logs []string }

func (h *host) Log(level, message string) { h.logs = append(h.logs, level+" "+message) }
func (h *host) Status(string, string)     {}
func (h *host) Import(string, string, string) (v8.Module, error) {
	return 0, fmt.Errorf("no modules here")
}

func (h *host) ParseURL(input, base string, hasBase bool) (string, bool) {
	return prelude.ParseURL(input, base, hasBase)
}

func (h *host) SetURL(href, property, value string) string {
	return prelude.SetURL(href, property, value)
}

// open makes a realm with every part and enters it until the test ends.
func open(t testing.TB, h *host) *v8.Realm {
	runtime.LockOSThread()
	r := v8.Open(v8.Options{HeapBytes: 256 << 20}, h)
	r.DefinePart("primordials", prelude.Primordials())
	for _, part := range prelude.Parts() {
		r.DefinePart(part.Name, part.Source)
		for _, global := range part.Globals {
			if status := r.SetLazy(global, part.Name); status != v8.OK {
				t.Fatalf("install %s: status %d", global, status)
			}
		}
	}
	r.Start()
	t.Cleanup(func() {
		r.Close()
		runtime.UnlockOSThread()
	})
	return r
}

// evaluate runs the body of an async function to its end and decodes the result into v.
func evaluate(t testing.TB, r *v8.Realm, body string, v any) {
	t.Helper()
	r.SetSource("guest.js")
	fail := func(what string) {
		t.Helper()
		e := r.Error()
		t.Fatalf("%s: %s: %s\n%s", what, e.Name, e.Message, e.Stack)
	}
	if status := r.RunFunction(body, false); status != v8.OK {
		fail("run")
	}
	switch end := r.Loop(); end {
	case v8.Settled:
	case v8.Failed:
		fail("failed")
	default:
		t.Fatalf("the guest waits for nothing: end %d", end)
	}
	encoded, why, status := r.EncodeMain(16 << 20)
	if status != v8.OK {
		t.Fatalf("encode: status %d %+v", status, why)
	}
	if err := msgpack.Unmarshal(encoded, v); err != nil {
		t.Fatalf("decode the result: %v", err)
	}
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGlobalsDoAsThePlatformSays(t *testing.T) {
	for _, name := range []string{"timers", "events", "abort", "encoding", "base64", "url", "clone", "misc", "patched"} {
		t.Run(name, func(t *testing.T) {
			var failures []string
			evaluate(t, open(t, &host{}), read(t, "check.js")+read(t, name+".js")+"\nreturn failures;", &failures)
			for _, failure := range failures {
				t.Error(failure)
			}
		})
	}
}

func TestURLClassAgreesWithThePlatformTests(t *testing.T) {
	var parse, set json.RawMessage
	prelude.PlatformData(t, "urltestdata.json", &parse)
	prelude.PlatformData(t, "setters_tests.json", &set)
	var failures []string
	evaluate(t, open(t, &host{}), read(t, "check.js")+`
for (const row of JSON.parse(`+quote(parse)+`)) {
  if (typeof row === 'string') continue;
  await claim(JSON.stringify([row.input, row.base]), () => {
    const base = row.base ?? undefined;
    equal(URL.canParse(row.input, base), !row.failure);
    if (row.failure) return void throws('TypeError', () => new URL(row.input, base));
    const url = new URL(row.input, base);
    for (const key of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) {
      if (key in row) equal(url[key], row[key], key);
    }
    if ('searchParams' in row) equal(url.searchParams.toString(), row.searchParams, 'searchParams');
  });
}
for (const [property, rows] of Object.entries(JSON.parse(`+quote(set)+`))) {
  if (property === 'comment') continue;
  for (const row of rows) {
    await claim(JSON.stringify([row.href, property, row.new_value]), () => {
      const url = new URL(row.href);
      url[property] = row.new_value;
      for (const [key, want] of Object.entries(row.expected)) equal(url[key], want, key);
    });
  }
}
return failures;`, &failures)
	for _, failure := range failures {
		t.Error(failure)
	}
}

// quote is the text as a JavaScript string literal.
func quote(text []byte) string {
	literal, _ := json.Marshal(string(text))
	return string(literal)
}

func TestConsoleShowsWhatUsersExpect(t *testing.T) {
	rows := []struct{ call, want string }{
		{`console.log('a', 1, null, undefined, true, 5n, -0, Symbol('s'))`, `log a 1 null undefined true 5n -0 Symbol(s)`},
		{`console.log()`, `log `},
		{`console.info({a: 1, 'b-c': [1, 'x']}, new Map([['k', {v: 1}]]), new Set([1]))`, `info { a: 1, 'b-c': [ 1, 'x' ] } Map(1) { 'k' => { v: 1 } } Set(1) { 1 }`},
		{`console.warn("it's", ["it's", 'a\nb'])`, `warn it's [ "it's", 'a\nb' ]`},
		{`class P { x = 1; get y() { return 2 } }; console.error(new P, P, () => {}, function f() {})`, `error P { x: 1 } [class P] [Function (anonymous)] [Function: f]`},
		{`const o = {n: 1}; o.self = o; console.debug(o)`, `debug <ref *1> { n: 1, self: [Circular *1] }`},
		{`console.log(new Date(0), /x/g, new Uint8Array(2), Object.create(null), [1, , 2], new Date(NaN))`, `log 1970-01-01T00:00:00.000Z /x/g Uint8Array(2) [ 0, 0 ] [Object: null prototype] {} [ 1, <1 empty item>, 2 ] Invalid Date`},
		{`console.log(new Promise(() => {}), Promise.resolve([1]), (async () => { throw 5 })().catch(() => {}) && new WeakMap)`, `log Promise { <pending> } Promise { [ 1 ] } WeakMap { <items unknown> }`},
		{`console.log(new Proxy({a: 1}, {get() { throw 1 }, ownKeys() { throw 1 }}), (() => { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy })())`, `log { a: 1 } <Revoked Proxy>`},
		{`console.log({get a() { throw 1 }, set b(v) {}})`, `log { a: [Getter], b: [Setter] }`},
		{`console.log('%i %i %i %i %f %f %f %f', '1e3', ' -0x1Fg', '0x', 'inf', '1.5e1.5', '0x10', '-Infinity', 'inf')`, `log 1 -31 NaN NaN 15 0 -Infinity NaN`},
		{`console.log('%s has %d of %i, %f %j %o%% %c.', 'Ada', 1.5, 2.9, '3.5', {a: 1}, [1], 'css', 'more')`, `log Ada has 1.5 of 2, 3.5 {"a":1} [ 1 ]% . more`},
		{`console.log('100%', 5, '%s')`, `log 100% 5 %s`},
		{`console.log(new URLSearchParams('a=1'), new URL('http://h/p').href)`, `log URLSearchParams { 'a' => '1' } http://h/p`},
		{`console.log({a: {b: {c: {d: {e: {}}}}}})`, `log { a: { b: { c: { d: { e: {} } } } } }`},
		{`console.log({a: {b: {c: {d: {e: {f: 1}}}}}})`, `log { a: { b: { c: { d: { e: [Object] } } } } }`},
		{`console.group('g'); console.log('in\nside'); console.groupEnd(); console.groupEnd(); console.log('out')`, "log g|log   in\n  side|log out"},
		{`console.table([{a: 1, b: 'x'}, {a: 2}])`, "log ┌─────────┬───┬─────┐\n│ (index) │ a │ b   │\n├─────────┼───┼─────┤\n│ 0       │ 1 │ 'x' │\n│ 1       │ 2 │     │\n└─────────┴───┴─────┘"},
		{`console.table(5)`, `log 5`},
		{`console.count(); console.count('x'); console.count(); console.countReset(); console.count()`, `log default: 1|log x: 1|log default: 2|log default: 1`},
		{`console.assert(true); console.assert(false, 'no %s', 'way'); console.assert(); console.dir({a: 1})`, `error Assertion failed: no way|error Assertion failed|log { a: 1 }`},
		{`console.timeEnd('t'); console.clear(); const {log} = console; log('free')`, `warn Timer 't' does not exist|log free`},
		{`(function where() { console.trace('at', 1) })()`, "log Trace: at 1\n    at where (guest.js:1:29)\n    at guest.js:1:46"},
		{`const e = new TypeError('bad', {cause: 'c'}); e.stack = 'TypeError: bad'; e.code = 5; console.log(e)`, "log TypeError: bad { [cause]: 'c', code: 5 }"},
		{`console.log([...Array(101).keys()].length, 'x'.repeat(3), [undefined, null])`, `log 101 xxx [ undefined, null ]`},
	}
	for _, row := range rows {
		t.Run(row.call, func(t *testing.T) {
			var h host
			var ignored any
			evaluate(t, open(t, &h), row.call+"; return null", &ignored)
			if got := strings.Join(h.logs, "|"); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestConsoleIsBoundedWhateverTheValue(t *testing.T) {
	var h host
	var ignored any
	evaluate(t, open(t, &h), `
const row = () => ({ list: Array.from({ length: 30 }, (_, i) => ({ i, text: 'x'.repeat(50) })) });
const big = Array.from({ length: 40 }, () => Array.from({ length: 40 }, row));
console.log(big);
console.log(Array(4e9), 'y'.repeat(20000).length, ['z'.repeat(20000)]);
return null;`, &ignored)
	if len(h.logs) != 2 || len(h.logs[0]) > 1<<20 || len(h.logs[1]) > 11000 {
		t.Errorf("%d messages, the first of %d bytes", len(h.logs), len(h.logs[0]))
	}
}

func TestPartsAreASCII(t *testing.T) {
	sources := map[string]string{"primordials": prelude.Primordials()}
	for _, part := range prelude.Parts() {
		sources[part.Name] = part.Source
	}
	for name, source := range sources {
		if i := strings.IndexFunc(source, func(c rune) bool { return c > 126 }); i >= 0 {
			t.Errorf("%s: character %q at byte %d", name, source[i:i+1], i)
		}
		if !strings.HasPrefix(source, "'use strict';\n(function (") {
			t.Errorf("%s is not one strict function expression", name)
		}
	}
}

func TestNativesAreThere(t *testing.T) {
	var h host
	r := open(t, &h)
	r.DefinePart("probe", "'use strict';\n(function (native) { return { probe: Object.keys(native) }; });")
	r.SetLazy("probe", "probe")
	var names []string
	evaluate(t, r, "return probe;", &names)
	for _, name := range prelude.Native() {
		if !slices.Contains(names, name) {
			t.Errorf("no native %s", name)
		}
	}
}

// BenchmarkFirstUse is what a run pays for the first read of a global, primordials included.
func BenchmarkFirstUse(b *testing.B) {
	for _, use := range []string{
		"0", "console.log('x')", "console.log({})", "setTimeout", "queueMicrotask", "structuredClone", "TextEncoder", "TextDecoder", "URL", "URLSearchParams",
		"atob", "performance", "crypto", "EventTarget", "AbortController", "DOMException",
	} {
		b.Run(use, func(b *testing.B) {
			var least time.Duration
			for b.Loop() {
				func() {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					h := &host{}
					r := v8.Open(v8.Options{HeapBytes: 256 << 20}, h)
					defer r.Close()
					r.DefinePart("primordials", prelude.Primordials())
					for _, part := range prelude.Parts() {
						r.DefinePart(part.Name, part.Source)
						for _, global := range part.Globals {
							r.SetLazy(global, part.Name)
						}
					}
					r.SetSource("guest.js")
					began := time.Now()
					r.RunFunction(use, false)
					if took := time.Since(began); least == 0 || took < least {
						least = took
					}
				}()
			}
			b.ReportMetric(float64(least.Microseconds()), "µs-least")
		})
	}
}
