package engine

import (
	"strings"
	"testing"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

func mode(m string) func(*rpc.Execute, *supervisor, *v8.Realm) {
	return func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) { x.Mode = m }
}

func TestSourceFormsGiveTheirValue(t *testing.T) {
	const undefined = `{"$type":"undefined"}`
	for _, c := range []struct{ name, mode, source, value string }{
		{"an expression", "auto", "1 + 1", "2"},
		{"an empty source", "auto", "", undefined},
		{"comments alone", "auto", "// nothing\n/* here */", undefined},
		{"the last statement's value", "auto", "if (true) { 7 } else { 8 }", "7"},
		{"a loop's value", "auto", "let n = 0; for (const x of [1, 2]) n += x", "3"},
		{"a value within try", "auto", "try { 5 } finally { 6 }", "5"},
		{"a declaration has none", "auto", "const x = 1", undefined},
		{"braces are an object", "auto", "{a: 1}", `{"a":1}`},
		{"braces over lines are an object", "auto", "\n{\n  a: 1,\n}\n", `{"a":1}`},
		{"braces that can be no object are a block", "auto", "{ let x = 1; x }", "1"},
		{"braces behind comments are an object", "auto", "// a record\n/* of one }( */ {a: 1}", `{"a":1}`},
		{"braces behind comments whose lines end otherwise", "auto", "// a\r// b\u2028{a: 1}", `{"a":1}`},
		{"braces behind a comment that begins with its end", "auto", "/*/ a */ {a: 1}", `{"a":1}`},
		{"a block behind comments", "auto", "// a block\n{ let x = 1; x }", "1"},
		{"braces with a type in them", "auto", "{a: 1 as number}", `{"a":1}`},
		{"braces with calls in them", "auto", "{a: {b: 1}, c: Math.abs(-2), d: await Promise.resolve(3)}", `{"a":{"b":1},"c":2,"d":3}`},
		{"braces with calls and a type in them", "auto", "{a: {b: 1 as number}, c: Math.abs(-2), d: Math.abs(3)}", `{"a":{"b":1},"c":2,"d":3}`},
		{"braces with calls and an assertion in them", "auto", "{a: {b: 1}, c: Math.abs(-2), d: Math.abs(<number>3)}", `{"a":{"b":1},"c":2,"d":3}`},
		{"top-level await", "auto", "const x = await Promise.resolve(4); x + 1", "5"},
		{"a promise is awaited", "auto", "(async () => ({deep: await 1}))()", `{"deep":1}`},
		{"a thenable is awaited", "auto", "({ then(resolve) { resolve(9) } })", "9"},
		{"strict mode by directive", "auto", "'use strict'; (function () { return this })()", undefined},
		{"a top-level return", "auto", "return 3", "3"},
		{"return without a value", "auto", "return", undefined},
		{"return and await", "auto", "const x = await Promise.resolve(4);\nreturn x * 2", "8"},
		{"return, await and types", "auto", "const x: number = await Promise.resolve(4);\nreturn x * 2", "8"},
		{"a return in a block", "auto", "if (true) { return 'x' }\nreturn 'y'", `"x"`},
		{"a default function", "auto", "export default () => 5", "5"},
		{"a default async function", "auto", "export default async function main() { return [await 6] }", "[6]"},
		{"a default value", "auto", "export default {a: [1]}", `{"a":[1]}`},
		{"a default promise", "auto", "export default Promise.resolve(7)", "7"},
		{"no default", "auto", "export const x = 1", undefined},
		{"top-level await in a module", "auto", "const x = await 8;\nexport default x", "8"},
		{"exports named later", "auto", "const x = 9;\nexport { x as default }", "9"},
		{"imports of types alone", "auto", "import type { A } from './a';\n3", undefined},
		{"imports of types alone beside what no plain type is", "auto", "import type { A } from './a';\nenum E { A }\n3", undefined},
		{"exports of types alone", "auto", "export type A = number;\n3", undefined},
		{"exports of types alone beside what no plain type is", "auto", "export interface A { }\nenum E { A }\n3", undefined},
		{"imports of types alone behind a comment with a dash", "auto", "// a \u2014 b\nimport type { A } from './a';\nenum E { A }\n3", undefined},
		{"imports of types alone beside private fields", "auto", "import type { A } from './a';\nenum E { A }\nclass B { #x = 1 }\n3", undefined},
		{"an alias of a part of a namespace", "auto", "namespace N { export const b = 5 }\nimport b = N.b;\nb + 1", "6"},
		{"a return beside an alias of a part of a namespace", "auto", "namespace N { export const b = 5 }\nimport b = N.b;\nreturn b", "5"},
		{"import() makes no module", "auto", "enum E { A }\n(import('x')).catch(() => {});\n3", "3"},
		{"words in strings and comments decide nothing", "auto", "// import, export, return\n'export default 1; return'.length", "24"},
		{"a forced module without exports", "module", "globalThis.x = this === undefined", undefined},
		{"a forced function without return", "function", "1 + 1", undefined},
		{"a forced script", "script", "1 + 1", "2"},
		{"a byte order mark", "auto", "\ufeff'x'", `"x"`},
		{"a byte order mark inside stays", "auto", "'\ufeff'.length", "1"},
		{"NUL does not end the source", "auto", "'a\x00b'.length + '", "X"},
		{"CRLF", "auto", "const a = 1\r\nconst b = 2\r\na + b\r\n", "3"},
		{"a hash-bang line", "auto", "#!/usr/bin/env node\n4", "4"},
	} {
		if c.value == "X" {
			c.source, c.value = "'a\x00b'.length", "3"
		}
		o := runSource(t, c.source, mode(c.mode))
		if o.failure != nil {
			t.Errorf("%s: %s: %s", c.name, o.failure.Code, o.failure.Message)
		} else if o.value != c.value {
			t.Errorf("%s: got %s, want %s", c.name, o.value, c.value)
		}
	}
}

func TestTypeScriptRuns(t *testing.T) {
	for _, c := range []struct{ name, source, value string }{
		{"annotations", "const n: number = 41; n + 1", "42"},
		{"interfaces and enums", "interface A { x: number }\nenum E { One = 1, Two }\nconst a: A = { x: E.Two };\na.x", "2"},
		{"const enums", "const enum E { A = 'a' }\nE.A", `"a"`},
		{"satisfies", "const a = { x: 1 } satisfies Record<string, number>; a.x", "1"},
		{"generics", "const id = <T>(x: T): T => x; id<number>(3)", "3"},
		{"type arguments that are also JavaScript", "const s = new Set<string>(['a']); s.size", "1"},
		{"type arguments at a line's end", "const s = new Set<string>\ns.add('a')\ns.size", "1"},
		{"type arguments at a line's end beside plain types", "const n: number = 2\nconst s = new Map<string, number>\ns.set('a', n)\ns.size", "1"},
		{"comparisons at a line's end", "const a = 1, b = 2\n; a < b && b >\na", "true"},
		{"markup in templates", "const t = ['a'].map((x) => `<li>${x}</li>`).join(''); `<ul>\n${t}</ul>` > ''\n", "true"},
		{"type arguments before a template", "const f = <T>(s: TemplateStringsArray) => s[0]; f<number>`x`", `"x"`},
		{"abstract classes and modifiers", "abstract class B { protected y = 1; abstract x(): void }\nclass C extends B { x() {} get z() { return this.y } }\nnew C().z", "1"},
		{"parameter properties", "class P { constructor(private readonly a: number) {} get b() { return this.a } }\nnew P(2).b", "2"},
		{"namespaces", "namespace N { export const a = 1 }\nN.a", "1"},
		{"decorators", "const seen: string[] = [];\nfunction log(_: unknown, c: { name: string | symbol }) { seen.push(String(c.name)) }\nclass A { @log m() {} }\nseen", `["m"]`},
		{"casts and assertions", "const x = '5' as unknown as string;\nx!.length", "1"},
		{"type-only imports", "import type { X } from './x';\nexport default (a?: X) => 1", "1"},
		{"type-only imports of all kinds", "import type X from './x';\nimport type * as Y from './y'\nimport { type Z } from 'realm:capabilities';\nexport default (a?: X, b?: Y.A, c?: Z) => 1", "1"},
		{"names imported for their types", "import { fetch, Response } from 'realm:capabilities';\nconst ok = (r: Response): boolean => r.ok;\nexport default typeof fetch + typeof ok", `"functionfunction"`},
		{"names imported for their types beside what no plain type is", "import { fetch, Response } from 'realm:capabilities';\nenum E { A = 1 }\nconst ok = (r: Response) => r.ok;\nexport default E.A", "1"},
		{"names imported and not used", "import { fetch, Response } from 'realm:capabilities';\nexport default typeof fetch", `"function"`},
		{"overloads", "function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: any) { return a }\nf(1)", "1"},
		{"using", "let n = 0;\n{ using _ = { [Symbol.dispose]() { n++ } } as any; }\nn", "1"},
	} {
		o := runSource(t, c.source, nil)
		if message, ok := lacks[c.name]; ok {
			if o.failure == nil || o.failure.Message != message {
				t.Errorf("%s: is said to be missing: %s %+v", c.name, o.value, o.failure)
			}
			continue
		}
		if o.failure != nil {
			t.Errorf("%s: %s: %s", c.name, o.failure.Code, o.failure.Message)
		} else if o.value != c.value {
			t.Errorf("%s: got %s, want %s", c.name, o.value, c.value)
		}
	}
}

// In TypeScript it is a call of a, with type arguments.
func TestWhatIsCalledJavaScriptIsReadAsThat(t *testing.T) {
	const source = "const f = (...all) => all, a = 1, b = 2, c = 3;\nf(a < b, c > (a))"
	for _, name := range []string{"a.js", "my dir/a.mjs", "a.cjs"} {
		if o := runSource(t, source, named(name)); o.value != "[true,true]" {
			t.Errorf("%s: %s %+v", name, o.value, o.failure)
		}
	}
	if o := runSource(t, "const n: number = 1; n", named("a.js")); o.value != "1" {
		t.Errorf("types in JavaScript: %s %+v", o.value, o.failure)
	}
	f := runSource(t, "import { nope } from 'realm:capabilities';\n"+strings.Replace(source, "f(", "export default f(", 1), named("a.js")).failure
	if f == nil || f.Code != "VALIDATION" || !strings.Contains(f.Message, "'nope'") {
		t.Errorf("a name that is not exported: %+v", f)
	}
	if o := runSource(t, "import { nope } from 'realm:capabilities';\nconst n: nope = 1;\nexport default n", named("a.js")); o.value != "1" {
		t.Errorf("a name that stands for a type: %s %+v", o.value, o.failure)
	}
	modules := granting(file("js", "", "a.js", strings.Replace(source, "f(", "export default f(", 1)), file("ts", "", "a.ts", "const f = <T>(x: T) => x;\nexport default f<number>(4)"))
	if o := runSource(t, "import js from 'js';\nimport ts from 'ts';\nexport default [js, ts]", modules); o.value != "[[true,true],4]" {
		t.Errorf("modules: %s %+v", o.value, o.failure)
	}
}

func TestSourcesThatCannotRunSayWhere(t *testing.T) {
	for _, c := range []struct {
		name, mode, source string
		line, column       int64
		message            string
	}{
		{"a token too many", "auto", "let x = ;", 1, 9, "Unexpected token ';'"},
		{"a token too many in TypeScript", "auto", "const y: number = ;", 1, 19, "Unexpected"},
		{"on a later line", "auto", "const a = 1;\n  foo(;\n", 2, 7, "Unexpected"},
		{"an end too early", "auto", "if (1) {\n", 2, 1, "Unexpected end"},
		{"an end too early behind return", "auto", "return f(", 1, 10, "Unexpected end of input"},
		{"an end too early in a function's block", "auto", "if (1) {\nreturn 1", 2, 9, "Unexpected end of input"},
		{"a brace that closes the function around it", "auto", "return 1 }", 1, 11, "'}'"},
		{"a brace that closes and opens another", "auto", "return 1 }; async function f() {", 1, 0, ""},
		{"an object that closes and opens another", "auto", "{a: 1}), ({b: 2}", 1, 7, ""},
		{"an object that closes and opens another, with types", "auto", "{a: 1 as number}), ({b: 2}", 1, 17, ""},
		{"an object that closes and opens another, with assertions", "auto", "{a: <number>1}), ({b: 2}", 1, 15, ""},
		{"a name declared twice", "auto", "let a = 1;\nlet a = 2;", 2, 5, "already been declared"},
		{"a name declared twice in TypeScript", "auto", "let a: number = 1;\nlet a: number = 2;", 2, 5, "already been declared"},
		{"an import in a script", "script", "import 'x'", 1, 1, "import"},
		{"return in a module", "module", "\nreturn 1", 2, 1, "return"},
		{"return beside imports of types", "auto", "import type { A } from 'a';\nenum E { A }\nreturn 1", 3, 1, "return"},
		{"export in a function", "function", "export const x = 1", 1, 1, "export"},
		{"no UTF-8", "auto", "let a;\nlet é = '\xff'", 2, 10, "UTF-8"},
		{"a regular expression that is none", "auto", "const r = /(/", 1, 11, "regular expression"},
	} {
		o := runSource(t, c.source, mode(c.mode))
		f := o.failure
		if f == nil {
			t.Errorf("%s: gives %s", c.name, o.value)
			continue
		}
		if f.Code != "VALIDATION" || f.Phase != "compile" || !strings.Contains(f.Message, c.message) {
			t.Errorf("%s: %s in %s: %s", c.name, f.Code, f.Phase, f.Message)
		}
		if f.Line != c.line || c.column != 0 && f.Column != c.column {
			t.Errorf("%s: at %d:%d, want %d:%d (%s)", c.name, f.Line, f.Column, c.line, c.column, f.Message)
		}
	}
}
