package engine

import (
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/rpc"
)

// Every position and frame is the user's own, whatever was put around the source or taken out of it.
func TestErrorsArePlacedInTheUsersSource(t *testing.T) {
	long := strings.Repeat("//\n", 60) // longer than what the type stripper puts before a source
	for _, c := range []struct {
		name, source string
		line, column int64
		frames       []string
	}{
		{"a script", "throw new Error('x')", 1, 7, []string{"at main.ts:1:7"}},
		{"a script's function", "function f() { throw new Error('x') }\nf()", 1, 22, []string{"at f (main.ts:1:22)", "at main.ts:2:1"}},
		{"the first line of an object", "{ a: nope }", 1, 6, []string{"at main.ts:1:6"}},
		{"the first line of a function body", "return 1 + nope", 1, 12, []string{"at main.ts:1:12"}},
		{"a later line of a function body", "const a = 1;\n  return a.b.c", 2, 14, []string{"at main.ts:2:14"}},
		{"a function body with types", "const x: number = await 4; return x + nope", 1, 39, []string{"at main.ts:1:39"}},
		{"a module", "export default () => { throw new Error('x') }", 1, 30, []string{"main.ts:1:30"}},
		{"TypeScript that loses lines", "interface A {\n  x: number\n}\n\nconst a: A = { x: 1 };\n  throw new Error('x')", 6, 9, []string{"at main.ts:6:9"}},
		{"TypeScript that loses columns", "const a: Array<number> = [1]; a.map((x: any) => x.y.z)", 1, 53, []string{"main.ts:1:53", "at Array.map (<anonymous>)", "main.ts:1:33"}},
		{"an async function", "async function f() { await null; throw new Error('x') }\nawait f()", 1, 40, []string{"at f (main.ts:1:40)", "at async main.ts:2:1"}},
		{"a chain of async functions", "async function a() { await 1; null.x }\nasync function b() { await a() }\nexport default async () => { await b() }", 1, 36,
			[]string{"at a (main.ts:1:36)", "at async b (main.ts:2:22)", "at async default (main.ts:3:30)"}},
		{"a timer", "setTimeout(function late() {\n  throw new Error('x')\n}, 1);\nawait new Promise(() => {})", 2, 9, []string{"at late (main.ts:2:9)"}},
		{"a microtask", "queueMicrotask(() => { throw new Error('x') })", 1, 30, []string{"main.ts:1:30"}},
		{"a getter that the result has", "({\n  get a() { throw new Error('x') }\n})", 2, 19, []string{"main.ts:2:19"}},
		{"a callback of a native function", "[1].forEach(function each() { throw new Error('x') })", 1, 37, []string{"at each (main.ts:1:37)", "at Array.forEach (<anonymous>)", "main.ts:1:5"}},
		{"a rejection that nobody handles", "Promise.reject(new Error('x')); 1", 1, 16, []string{"main.ts:1:16"}},
		{"evaluated text", "eval('throw new Error(1)')", 1, 1, []string{"at eval (eval at <anonymous> (main.ts:1:1), <anonymous>:1:7)", "at main.ts:1:1"}},
		{"a class", "class A {\n  constructor() { this.x.y }\n}\nnew A()", 2, 26, []string{"at new A (main.ts:2:26)", "at main.ts:4:1"}},
		{"what is decorated with nothing", long + "class A { @(null as any) m() {} }", 61, 26, []string{"at main.ts:61:26"}},
		{"what a decorator answers", "@(() => 5)\nclass A {}", 2, 1, []string{"at main.ts:2:1"}},
		{"a private field beside a decorator", long + "class A { #x = 1; @((v: any) => v) m() { return this.#x } }\nnew A().m.call({} as any)", 61, 49,
			[]string{"at Object.m (main.ts:61:49)", "at main.ts:62:11"}},
		{"a decorator that throws", long + "@(() => { throw new Error('x') })\nclass A {}", 61, 17, []string{"main.ts:61:17", "at main.ts:62:1"}},
		{"what cannot be disposed of", long + "{ using x = 5 as any }", 61, 13, []string{"at main.ts:61:13"}},
		{"no stack at all", "Error.stackTraceLimit = 0;\nthrow new Error('x')", 2, 7, nil},
		{"a stack of the guest's making", "Error.prepareStackTrace = () => 'forged';\nthrow new Error('x')", 2, 7, []string{"at main.ts:2:7"}},
		{"a stack that was replaced", "const e = new Error('x');\ne.stack = 'mine';\nthrow e", 1, 11, []string{"mine"}},
		{"a string", "1;\n  throw 'x'", 2, 3, nil},
		{"an object in an async function", "async function f() {\n  await 1;\n  if (1) throw {a: 1};\n  return 2\n}\nawait f()", 3, 10, nil},
		{"one string of several", "async function f(n: number) {\n  if (n > 1) throw 'a';\n  await n;\n  throw 'b' }\nawait f(1)", 4, 3, nil},
		{"one of two that may be meant", "async function f(n) { if (n > 1) throw 'a'; throw 'a' }\nawait f(1)", 0, 0, nil},
		{"a number in a callback", "export default async (): Promise<void> => {\n  [1].map((n) => { throw n }); return 4 }", 2, 20, nil},
		{"what is no statement", "async function f() { throw new Error('throw 5') } // throw 5\nawait f().catch(e => { throw 5 })", 2, 24, nil},
		{"a call that rejects", "1;\n  Promise.reject(7)", 2, 11, nil},
		{"an executor that rejects", "await 1;\nnew Promise((_, no) =>\n  no(7));\n2", 3, 3, nil},
		{"an executor that throws", "await 1;\nnew Promise((_, no) => {\n  throw 7 });\n2", 3, 3, nil},
		{"a rejection by call that was caught elsewhere", "const f = async () => { throw 'a' }\ntry { await f() } catch (e) { await Promise.reject(e) }", 0, 0, nil},
		{"a call that rejects, awaited", "1;\n  await Promise.reject('x')", 2, 17, nil},
		{"a call that rejects, awaited in a function", "export default async () => {\n  await new Promise<void>((done) => setTimeout(done, 1));\n  await Promise.reject(7)\n}", 3, 17, nil},
		{"one of two calls that reject", "const f = (n) => n ? Promise.reject('a') : Promise.reject('b');\nawait f(0)", 1, 52, nil},
		{"one of two calls that may be meant", "const f = (n) => n ? Promise.reject('a') : Promise.reject('a');\nawait f(0)", 0, 0, nil},
		{"an executor whose name for it is anything", "try { throw 'x' } catch {}\nawait new Promise((_, no) => setTimeout(() => no('x')))", 0, 0, nil},
		{"what is rejected elsewhere than at the only call", "Promise.reject('x').catch(() => {}); let no; const p = new Promise((_, f) => { no = f });\nsetTimeout(() => no('x')); await p", 0, 0, nil},
		{"WebAssembly that is compiled", "1;\n  await WebAssembly.compile(new Uint8Array(3))", 2, 21, []string{"at main.ts:2:21"}},
		{"WebAssembly that is built", "const build = (b: Uint8Array) =>\n  WebAssembly.instantiate(b);\nexport default async () => { await build(new Uint8Array(3)) }", 2, 15,
			[]string{"at build (main.ts:2:15)", "at default (main.ts:3:36)"}},
		{"WebAssembly that cannot be linked", "const wasm = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 97, 1, 98, 0, 0);\nawait WebAssembly.instantiate(await WebAssembly.compile(wasm), { a: {} })", 2, 19, nil},
		{"a promise that is the value", "export default () => new Promise((_, no) => setTimeout(() => no('x'), 1))", 1, 62, nil},
		{"a Date", "1;\n  throw new Date(0)", 2, 3, nil},
		{"bytes", "const f = async () => {\n  throw new Uint8Array(1) }\nawait f()", 2, 3, nil},
		{"null in a timer", "setTimeout(() => {\n  throw null }, 1); await new Promise(() => {})", 2, 3, nil},
		{"JSON", "JSON.parse('{')", 1, 6, []string{"at JSON.parse (<anonymous>)", "at main.ts:1:6"}},
	} {
		o := runSource(t, c.source, nil)
		f := o.failure
		if f == nil {
			t.Errorf("%s: gives %s", c.name, o.value)
			continue
		}
		if f.Line != c.line || f.Column != c.column {
			t.Errorf("%s: at %d:%d, want %d:%d\n%s", c.name, f.Line, f.Column, c.line, c.column, f.Stack)
		}
		at := 0
		for _, frame := range c.frames {
			i := strings.Index(f.Stack[at:], frame)
			if i < 0 {
				t.Errorf("%s: no %q in\n%s", c.name, frame, f.Stack)
				break
			}
			at += i
		}
		if strings.Contains(f.Stack, "at __") || strings.Contains(f.Stack, "realm:") || strings.Contains(f.Stack, "async function(){") {
			t.Errorf("%s: a frame of ours\n%s", c.name, f.Stack)
		}
	}
}

func TestFileNamesAreTheUsers(t *testing.T) {
	for _, name := range []string{"report.ts", "my report.ts", "été 'x'.js", "dir/a.ts"} {
		for _, source := range []string{"null.x", "return null.x", "export default null.x", "const n: number = null.x"} {
			o := runSource(t, source, named(name))
			if o.failure == nil || !strings.Contains(o.failure.Stack, name+":1:") {
				t.Errorf("%s, %s: %+v", name, source, o.failure)
			}
		}
	}
}

// What an operation is refused for is placed at its call when nobody awaits it there: then no frame of the program waits for it.
func TestErrorsOfOperationsArePlacedAtTheirCalls(t *testing.T) {
	refuse := refusing(rpc.ReplyError{Kind: "denied", Message: "no", Capability: "filesystem.read", Target: "/x"})
	for _, c := range []struct {
		name, source string
		line, column int64
		frame        string
	}{
		{"awaited", "const c = await import('realm:capabilities');\n  await c.readText('/x')", 2, 3, "at async main.ts:2:3"},
		{"the value of a script", "const c = await import('realm:capabilities');\nc.readText('/x')", 2, 3, "at main.ts:2:3"},
		{"returned", "import { readText } from 'realm:capabilities'\nexport default async () => {\n  return readText('/x') }", 3, 10, "at default (main.ts:3:10)"},
		{"returned by a function with types", "import { readText } from 'realm:capabilities'\nenum E { A }\nconst get = (p: string): Promise<string> => readText(p)\nexport default () => get('/x')", 3, 45, "at get (main.ts:3:45)"},
		{"chained", "dataProxy.request('x').then((x) => x)", 1, 11, "at main.ts:1:11"},
		{"that nobody handles", "await null;\ndataProxy.request('x');\nawait new Promise((r) => setTimeout(r, 5))", 2, 11, "at main.ts:2:11"},
	} {
		f := runSource(t, c.source, refuse).failure
		if f == nil || f.Line != c.line || f.Column != c.column || !strings.Contains(f.Stack, c.frame) || strings.Contains(f.Stack, "realm:") {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}
