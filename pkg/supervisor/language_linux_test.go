package supervisor_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

// ours are names that no stack, message or hint may show: our scripts, our
// files, how a source is wrapped, and where the engine was built.
var ours = regexp.MustCompile(`realm:(prelude|internal)|evalmachine|node:internal|\.cc\b|\.go:|/root/|/home/|esbuild|async function\(\)\{|prepareStackTrace \(|__awaiter|rv8|v8go`)

// placed is a failure at a place of the source.
type placed struct {
	name, source string
	line, column int
	stack        []string
}

func (c placed) check(t *testing.T, code error, changes ...change) *supervisor.Error {
	t.Helper()
	_, e := fails(t, code, c.source, changes...)
	if e.Line != c.line || e.Column != c.column {
		t.Errorf("%s: %s: %s at %d:%d, want %d:%d\n%s", c.name, e.Name, e.Message, e.Line, e.Column, c.line, c.column, e.Stack)
	}
	contains(t, e.Stack, c.stack...)
	if found := ours.FindString(e.Stack + e.Message + e.Hint); found != "" {
		t.Errorf("%s: %q shows in\n%s\n%s", c.name, found, e.Message, e.Stack)
	}
	return e
}

func TestErrorsArePlacedWhereverTheyAreThrown(t *testing.T) {
	t.Parallel()
	for _, c := range []placed{
		{"a callback of a builtin", "[1, 2].forEach(n => {\n  if (n > 1) throw new Error('x');\n})", 2, 20, []string{"at guest.ts:2:20", "at Array.forEach", "at guest.ts:1:8"}},
		{"a comparator", "[3, 1].sort((a, b) => {\n  return a.foo.bar });", 2, 16, []string{"at Array.sort"}},
		{"a replacer", "'abc'.replace(/b/, () => {\n  throw new Error('x') })", 2, 9, nil},
		{"a reviver", "JSON.parse('[1]', () => {\n  throw new Error('x') })", 2, 9, []string{"at JSON.parse"}},
		{"an async function", "async function f() {\n  await null;\n  throw new Error('x');\n}\nawait f()", 3, 9, []string{"at f (guest.ts:3:9)", "at async guest.ts:5:1"}},
		{"an async chain", "const a = async () => { await null; throw new Error('x') };\nconst b = async () => { await a() };\nconst c = async () => {\n  await b();\n};\nexport default c;", 1, 43,
			[]string{"at a (guest.ts:1:43)", "at async b (guest.ts:2:25)", "at async c (guest.ts:4:3)"}},
		{"one of Promise.all", "const f = async n => { await null; if (n) throw new Error('x') };\nawait Promise.all([f(0), f(1)])", 1, 49, []string{"at async Promise.all (index 1)"}},
		{"an async iterator", "async function* g() { yield 1; throw new Error('x') }\nfor await (const n of g());", 1, 38, nil},
		{"a timer", "setTimeout(() => {\n  throw new Error('x') }, 1);\nawait new Promise(() => {})", 2, 9, nil},
		{"an interval", "setInterval(function tick() {\n  null.x }, 1);\nawait new Promise(() => {})", 2, 8, []string{"tick (guest.ts:2:8)"}},
		{"a microtask", "queueMicrotask(() => {\n  throw new Error('x') });\nawait null; 1", 2, 9, nil},
		{"a listener", "const target = new EventTarget();\ntarget.addEventListener('go', () => {\n  throw new Error('x') });\ntarget.dispatchEvent(new Event('go'))", 3, 9, nil},
		{"a rejection that nobody handles", "const p = Promise.reject(\n  new Error('x'));\nawait null; 1", 2, 3, nil},
		{"the top level after an await", "await null;\nawait null;\n  null.x", 3, 8, nil},
		{"the top level of a module", "import 'realm:capabilities';\nawait null;\nnull.x;\nexport default 1", 3, 6, nil},
		{"the top level of a body", "await null;\nif (1) null.x;\nreturn 1", 2, 13, nil},
		{"a getter of the result", "({ a: { get x() {\n  throw new Error('x') } } })", 2, 9, []string{"at get x", "(guest.ts:2:9)"}},
		{"toJSON of the result", "({ a: { toJSON() {\n  throw new Error('x') } } })", 2, 9, []string{"toJSON (guest.ts:2:9)"}},
		{"a proxy's trap", "new Proxy({}, { get() {\n  throw new Error('x') } }).y", 2, 9, nil},
		{"a generator", "function* g() {\n  throw new Error('x') }\n[...g()]", 2, 9, []string{"at g (guest.ts:2:9)"}},
		{"a static initialiser", "class A {\n  static x = null.y;\n}", 2, 19, nil},
		{"a private name", "class A { #x; static r(o) { return o.#x } }\nA.r({})", 1, 38, []string{"at A.r (guest.ts:1:38)"}},
		{"a tagged template", "const tag = () => { throw new Error('x') };\ntag`a`", 1, 27, []string{"guest.ts:2:4"}},
		{"eval, where it stands", "1;\neval('\\n\\nthrow new Error(1)')", 2, 1, nil},
		{"Function, where it is called", "const f = new Function('throw new Error(1)');\n\nf()", 3, 1, nil},
		{"a tool of the platform", "1;\n new URL('nonsense')", 2, 2, nil},
		{"structuredClone", "\nstructuredClone(() => 1)", 2, 1, nil},
		{"the default export", "export default function main() {\n  throw new Error('x') }", 2, 9, []string{"at main (guest.ts:2:9)"}},
		{"a capability's argument", "import { readText } from 'realm:capabilities';\nexport default async () => {\n  await readText(5);\n}", 3, 9, []string{"default (guest.ts:3:9)"}},
	} {
		c.check(t, supervisor.ErrRuntime)
	}
	placed{"a refusal", "import { readText } from 'realm:capabilities';\nasync function load() {\n  return await readText('/etc/passwd');\n}\nexport default async () => { await load() }", 3, 10,
		[]string{"at async load (guest.ts:3:10)", "at async default (guest.ts:5:30)"}}.check(t, supervisor.ErrDenied)
}

// Types, enums and parameter properties are taken away before V8 reads the
// source: positions lead back to what the user wrote.
func TestTypeScriptKeepsItsPositionsInEveryForm(t *testing.T) {
	t.Parallel()
	head := "interface Row {\n  n: number;\n  tags?: string[];\n}\nenum Kind { A = 'a', B = 'b' }\nclass Box<T extends Row> {\n  constructor(private readonly row: T, public kind: Kind = Kind.A) {}\n  fail(this: Box<T>): never { throw new TypeError(`no ${this.kind}`) }\n}\n"
	for _, c := range []placed{
		{"script", head + "new Box<Row>({ n: 1 }).fail()", 8, 37, []string{"fail (guest.ts:8:37)", "guest.ts:10:24"}},
		{"module", head + "export default (): never => new Box<Row>({ n: 1 }).fail()", 8, 37, []string{"fail (guest.ts:8:37)", "default (guest.ts:10:52)"}},
		{"function", head + "await null;\nreturn new Box<Row>({ n: 1 }).fail()", 8, 37, []string{"fail (guest.ts:8:37)", "guest.ts:11:31"}},
		{"long lines", head + "const s: string = '" + strings.Repeat("é", 300) + "'; (null as any).x", 10, 337, nil},
	} {
		e := c.check(t, supervisor.ErrRuntime)
		if c.name != "long lines" && e.Message != "no a" {
			t.Errorf("%s: %s", c.name, e.Message)
		}
	}
}

func TestAnOverflowOfTheStackIsARangeError(t *testing.T) {
	t.Parallel()
	for _, c := range []placed{
		{"a script", "function down(n) {\n  return down(n + 1) + 1;\n}\ndown(0)", 2, 3, []string{"at down (guest.ts:2:"}},
		{"TypeScript", "const down = (n: number): number => {\n  return 1 + down(n + 1);\n};\nexport default () => down(0)", 2, 3, []string{"at down (guest.ts:2:"}},
		{"a getter of the result", "({ get x() {\n  const f = () => f();\n  return f();\n} })", 2, 3, nil},
	} {
		_, e := fails(t, supervisor.ErrRuntime, c.source)
		if e.Name != "RangeError" || e.Line != c.line {
			t.Errorf("%s: %s at %d:%d\n%.300s", c.name, e.Name, e.Line, e.Column, e.Stack)
		}
		contains(t, e.Stack, c.stack...)
	}
	yields(t, `["RangeError","caught"]`, `const f = () => f(); let e; try { f() } catch (x) { e = x } [e.name, 'caught']`)
	yields(t, `"RangeError"`, `let v = []; for (let i = 0; i < 1e5; i++) v = [v]; try { JSON.stringify(v) } catch (e) { e.name }`)
}

func TestCausesAndFieldsOfErrorsArriveWhole(t *testing.T) {
	t.Parallel()
	_, e := fails(t, supervisor.ErrRuntime, `
		const root = new RangeError('root', { cause: { code: 7 } });
		const middle = new TypeError('middle', { cause: root });
		class HttpError extends Error { constructor(m, o) { super(m, o); this.name = 'HttpError'; this.status = 404; this.body = new Map([['k', 1n]]) } }
		throw new HttpError('outer', { cause: middle })`)
	thrown := e.Thrown.(*value.Error)
	if e.Name != "HttpError" || e.Message != "outer" || thrown.Name != "HttpError" || thrown.Fields.Get("status") != 404.0 {
		t.Errorf("%+v", e)
	}
	if m, ok := thrown.Fields.Get("body").(*value.Map); !ok || len(m.Entries) != 1 {
		t.Errorf("field %v", thrown.Fields.Get("body"))
	}
	middle, ok := thrown.Cause.(*value.Error)
	if !ok || middle.Name != "TypeError" || !strings.Contains(middle.Stack, "guest.ts:3:18") {
		t.Fatalf("cause %+v", thrown.Cause)
	}
	if root, ok := middle.Cause.(*value.Error); !ok || root.Message != "root" || root.Cause.(*value.Object).Get("code") != 7.0 {
		t.Errorf("cause of the cause %+v", middle.Cause)
	}
	contains(t, string(e.Cause), `"name":"TypeError"`, `"name":"RangeError"`, `{"code":7}`)

	_, e = fails(t, supervisor.ErrRuntime, `await Promise.any([Promise.reject(new TypeError('a')), Promise.reject('b')])`)
	thrown = e.Thrown.(*value.Error)
	if e.Name != "AggregateError" || len(thrown.Errors) != 2 || thrown.Errors[1] != "b" || thrown.Errors[0].(*value.Error).Name != "TypeError" {
		t.Errorf("%+v", thrown)
	}
	if got := strings.Join(e.Details(), "\n"); !strings.Contains(got, "error 1: TypeError: a (at guest.ts:1:35)") || !strings.Contains(got, "error 2: b") {
		t.Errorf("details %q", got)
	}

	_, e = fails(t, supervisor.ErrRuntime, `const e = new Error('x'); e.cause = e; throw e`)
	if thrown = e.Thrown.(*value.Error); thrown.Cause != any(thrown) {
		t.Errorf("a cycle of causes is %+v", thrown)
	}
	if len(e.Details()) > 8 {
		t.Errorf("%d details", len(e.Details()))
	}
	res := succeed(t, `({ error: new SyntaxError('as a value', { cause: 1 }) })`)
	if v := res.Value.(*value.Object).Get("error").(*value.Error); v.Name != "SyntaxError" || v.Cause != 1.0 || !strings.Contains(v.Stack, "guest.ts:1:11") {
		t.Errorf("%+v", v)
	}
}

// A guest may spoil its own stack, and nothing else.
func TestTamperingWithStacksHurtsTheTampererOnly(t *testing.T) {
	t.Parallel()
	const fail = "\nfunction f() { throw new Error('mine') }\nf()"
	for _, c := range []struct {
		tamper string
		frames bool // the stack is still there
	}{
		{"Error.prepareStackTrace = (e, sites) => sites.map(s => s.getThis()).join();", true},
		{"Error.prepareStackTrace = () => { throw new Error('from the formatter') };", true},
		{"Error.prepareStackTrace = () => { for (;;); };", true},
		{"Error.prepareStackTrace = 5;", true},
		{"Object.defineProperty(Error, 'prepareStackTrace', { get() { for (;;); } });", true},
		{"Error.stackTraceLimit = 0;", false},
		{"Error.stackTraceLimit = -1;", false},
		{"Error.stackTraceLimit = 'many';", false},
		{"Object.defineProperty(Error, 'stackTraceLimit', { get() { for (;;); } });", false},
		{"delete Error.stackTraceLimit;", false},
		{"Error.stackTraceLimit = 1e9;", true},
		{"Error.captureStackTrace = () => { throw 1 };", true},
		{"Error.prototype.toString = () => { throw 1 };", true},
		{"Object.prototype.toString = String.prototype.replace = RegExp.prototype[Symbol.replace] = () => { throw 1 };", true},
		{"Array.prototype.join = Array.prototype[Symbol.iterator] = () => { throw 1 };", true},
		{"globalThis.Error = class {}; ", true},
	} {
		source := c.tamper + fail
		if strings.HasPrefix(c.tamper, "globalThis.Error") {
			source = "const E = Error; " + c.tamper + strings.Replace(fail, "new Error", "new E", 1)
		}
		_, e := fails(t, supervisor.ErrRuntime, source)
		if e.Name != "Error" || e.Message != "mine" || e.Line != 2 {
			t.Errorf("%s: %s: %s at %d:%d\n%s", c.tamper, e.Name, e.Message, e.Line, e.Column, e.Stack)
		}
		if got := strings.Contains(e.Stack, "at f (guest.ts:2:"); got != c.frames {
			t.Errorf("%s: stack %q", c.tamper, e.Stack)
		}
	}
	// What is read of a thrown value may be the guest's own getter. It ends with the run.
	for _, source := range []string{
		"const e = new Error('x');\nObject.defineProperty(e, 'stack', { get() { for (;;); } }); throw e",
		"const e = new Error('x');\nObject.defineProperty(e, 'message', { get() { for (;;); } }); throw e",
		"throw { get a() {\nfor (;;); } }",
	} {
		_, e := interrupted(t, source, limited(supervisor.Limits{WallClockMs: 300}))
		if strings.Contains(e.Message, "did not answer") {
			t.Errorf("%s: %s", source, e.Message)
		}
	}
	_, e := fails(t, supervisor.ErrRuntime, "const e = new Error('x');\ne.stack = 'what I say';\nthrow e")
	if e.Stack != "what I say" || e.Line != 1 {
		t.Errorf("stack %q at line %d", e.Stack, e.Line)
	}
	long := strings.Repeat("m", 1<<20)
	_, e = fails(t, supervisor.ErrRuntime, "throw new Error('m'.repeat(1 << 20))")
	if len(e.Message) > 100_000 || !strings.HasPrefix(long, e.Message[:1000]) {
		t.Errorf("a message of %d bytes", len(e.Message))
	}
}

// A refusal to compile, of V8 or of the type stripper, points at its place; the
// frame shows it.
func TestSyntaxErrorsPointAtTheirPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source       string
		line, column int
		message      string
	}{
		{"const a = 1\nconst b = a +* 2", 2, 14, "'*'"},
		{"let x = 1;\nlet x = 2;", 2, 5, "already been declared"},
		{"const s = `unterminated", 1, 24, "end of input"},
		{"\n\n}", 3, 1, "'}'"},
		{"const r = /(/", 1, 11, "Unterminated group"},
		{"break;", 1, 1, "break"},
		{"export default function (", 1, 26, "end of input"},
		{"export default 1;\nexport default 2;", 2, 8, "already been declared"},
		{"'use strict';\nconst x = 010;", 2, 11, "Octal"},
		{"const a: number = 1;\nconst b: string = 'x' as;", 2, 25, `";"`},
		{"enum E { A = , B }", 1, 14, `","`},
		{"interface A { x: }", 1, 18, `"}"`},
		{"function f(a: number, : string) {}", 1, 23, ""},
		{"class A { constructor(private) {} private x: number = ; }", 1, 55, `";"`},
		{"const f = async (): Promise<number> => {\n  return await;\n}", 2, 15, ""},
		{"return 1;\n}", 2, 2, "'}'"},
		{"await 1; return )", 1, 17, "')'"},
		{"import { readText } from 'realm:capabilities';\nexport default readText(", 2, 25, "end of input"},
	} {
		_, e := fails(t, supervisor.ErrValidation, c.source)
		if e.Line != c.line || e.Column != c.column || e.Name != "SyntaxError" || e.Phase != "compile" {
			t.Errorf("%q: %s: %s at %d:%d in %s, want %d:%d", c.source, e.Name, e.Message, e.Line, e.Column, e.Phase, c.line, c.column)
		}
		contains(t, e.Message, c.message)
		if frame := supervisor.CodeFrame(c.source, e.Line, e.Column); !strings.HasSuffix(strings.TrimRight(frame, "\n"), "^") {
			t.Errorf("%q: frame\n%s", c.source, frame)
		}
		if found := ours.FindString(e.Stack + e.Message); found != "" {
			t.Errorf("%q: %q shows", c.source, found)
		}
	}
}

// Globals of other environments stay undefined to typeof; an uncaught use says
// what to use here.
func TestAMissingGlobalSaysWhatToUseInstead(t *testing.T) {
	t.Parallel()
	for name, hint := range map[string]string{
		"require": "import", "process": "environment", "Buffer": "TextEncoder", "fetch": "realm:capabilities", "fs": "readText", "window": "browser",
		"document": "browser", "Deno": "realm:capabilities", "Bun": "realm:capabilities", "module": "import", "__dirname": "import", "XMLHttpRequest": "fetchText",
		"WebSocket": "network", "setImmediate": "setTimeout", "global": "globalThis", "localStorage": "browser", "readText": "import { readText }", "child_process": "spawn",
	} {
		yields(t, `"undefined"`, `typeof `+name)
		_, e := fails(t, supervisor.ErrRuntime, "\n"+name+"('x')")
		if e.Name != "ReferenceError" || e.Line != 2 || e.Column != 1 {
			t.Errorf("%s: %s at %d:%d", name, e.Name, e.Line, e.Column)
		}
		contains(t, e.Hint, hint)
		yields(t, `"caught"`, `try { `+name+`() } catch { 'caught' }`)
	}
	_, e := fails(t, supervisor.ErrValidation, `async () => { return 5 }`) // as some hosts want programs to be
	contains(t, e.Hint, "call it")
	_, e = fails(t, supervisor.ErrRuntime, `undefinedThing()`)
	if e.Hint != "" {
		t.Errorf("hint %q for a name that nobody knows", e.Hint)
	}
}

// What waits when the time is over is named, without a value of anything.
func TestATimeoutWhileWaitingListsWhatIsPending(t *testing.T) {
	t.Parallel()
	_, e := interrupted(t, `
		dataProxy.request('slow', { secret: 'param' });
		setTimeout(() => {}, 60_000); setTimeout(() => {}, 70_000);
		await new Promise(f => setTimeout(f, 50_000))`,
		func(r *supervisor.Request) {
			r.Grants = grants.Grants{Tools: grants.Tools{Allowed: []string{"slow"}}}
			r.Tools = map[string]supervisor.Tool{"slow": waitForever}
			r.Limits.WallClockMs = 300
		})
	pending := strings.Join(e.Pending, "\n")
	contains(t, pending, "tool slow", "3 timers, the next due in")
	if strings.Contains(pending, "param") {
		t.Errorf("pending %q", pending)
	}
}

func waitForever(ctx context.Context, _ json.RawMessage) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
