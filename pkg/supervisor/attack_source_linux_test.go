package supervisor_test

import (
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/supervisor"
)

// Attacks by the text of the source: on what is put around it, on what is taken
// from it, and on who is said to have written it.

func script(name, source, value string) attack {
	return attack{name: name, source: source, value: value}
}

func invalidSource(name, source, message string) attack {
	return attack{name: name, source: source, want: supervisor.ErrValidation, error: message}
}

// at fails with a runtime error at a position of the user's own source.
func at(name, source string, line, column int) attack {
	a := throwsAt(name, source, line, column)
	position := a.then
	a.then = func(t *testing.T, w *battlefield, r *supervisor.Result, e *supervisor.Error) {
		position(t, w, r, e)
		if strings.Contains(e.Stack, "/etc/") || strings.Contains(e.Stack, "realm:") || strings.Contains(e.Stack, "evil") {
			t.Errorf("stack %s", e.Stack)
		}
	}
	return a
}

// throwsAt is at with any stack: what that is made of is the guest's own.
func throwsAt(name, source string, line, column int) attack {
	return attack{name: name, source: source, want: supervisor.ErrRuntime, then: func(t *testing.T, _ *battlefield, _ *supervisor.Result, e *supervisor.Error) {
		if e.Line != line || e.Column != column {
			t.Errorf("%s at %d:%d, want %d:%d\n%s", e.Message, e.Line, e.Column, line, column, e.Stack)
		}
	}}
}

// caller is what a function can know about what it is called by.
const caller = `return (function () { try { return String(arguments.callee.caller) } catch (e) { return e.name } })()`

func init() {
	classes["wrappers"] = []attack{
		invalidSource("closing a function", `}); globalThis.evil = 1; (function () {`, ""), invalidSource("closing an async function", `})(); globalThis.evil = 1; (async () => {`, ""), invalidSource("closing a block", `} globalThis.evil = 1; {`, ""),
		invalidSource("closing a function that returns", "return 1\n})(); globalThis.evil = 1; (async function(){ return 2", ""), invalidSource("closing one with types", "const a: number = await 1; return a\n}); globalThis.evil = 1; (async function(){", ""), invalidSource("closing a template", "`${", ""), invalidSource("a template that goes on", "return `x", ""),
		invalidSource("a comment that does not end", `return 1 /*`, ""), script("a comment at the end", `return 1 //`, `1`), script("a comment that closes", `return 1 //})`, `1`), script("a comment at the end of types", `const a: number = await 1; return a //`, `1`), invalidSource("a comment's end", `*/ 1 /*`, ""),
		script("a regular expression that closes", `return /}\)\(\)/.source.length`, `7`), script("a text that closes", `return "})();"`, `"})();"`), script("a template that closes", "return `})(); /* ` + '*/'", `"})(); /* */"`), invalidSource("a text that does not end", `return "`, ""), script("a label", `evil: for (;;) break evil; 1`, `1`),
		invalidSource("HTML's comment in a module", "<!-- x\nexport default 1", ""), script("HTML's comment in a script", "<!-- })(); evil\n1", `1`), script("HTML's comment's end", "1\n--> })(); evil", `1`), script("HTML's comment's end at the beginning", "--> evil\n2", `2`), invalidSource("HTML's comment's end in a module", "export default 1\n--> x", ""), script("no comment", `let x = 3; while (x --> 0); x`, `-1`),
		script("a hashbang", "#!/usr/bin/env -S evil })();\n1", `1`), script("a hashbang of a function", "#!/bin/sh\nreturn 1", `1`), script("a hashbang of a module", "#!/bin/sh\nexport default 1", `1`), script("a hashbang with types", "#!/bin/sh\nconst a: number = 1; a", `1`), invalidSource("a late hashbang", " #!/bin/sh\n1", ""), script("a hashbang that is all", "#!", `{"$type":"undefined"}`),
		script("a byte order mark", "\ufeff1", `1`), script("a byte order mark inside", "1 + \ufeff1", `2`), script("a mark and a hashbang", "\ufeff#!/bin/sh\n1", `1`), script("line separators in a text", "'a\u2028b\u2029c'.length", `5`), at("line separators end lines", "'\u2028';\nnull.x", 3, 6), script("a line separator ends a comment", "// x\u2028return 5", `5`), at("carriage returns", "1;\r\n2;\rnull.x", 3, 6),
		script("other spaces", "\u00a0\u1680\u2000\u3000\u202f1", `1`), invalidSource("a NUL", "1;\x00 evil", ""), script("a NUL in a text", "'a\x00b'.length", `3`), script("a NUL in a comment", "/*\x00*/ 1", `1`), script("escapes in a name", `let \u0065vil = 1; evil`, `1`), invalidSource("escapes in a keyword", `r\u0065turn 1`, ""), script("bidirectional marks", "/*\u202e } \u2066*/ 1", `1`),
		script("use strict", `"use strict"; (function () { return this })() === undefined`, `true`), script("no use strict", `(function () { return this })() === globalThis`, `true`), script("directives of others", `"use asm"; "use server"; 'use realm'; 1`, `1`), script("use strict in a function", `'use strict'; return (() => this)() === undefined || typeof this`, `true`), invalidSource("with and use strict", `"use strict"; with ({}) {}`, ""), script("asm.js", `(function (g) { "use asm"; function f(x) { x = x | 0; return (x + 1) | 0 } return { f } })(globalThis).f(1)`, `2`),
		script("names of ours", `const native = 1, primordials = 2, run = 3, source = 4, module = 5, exports = 6, require = 7; native + primordials + run + source + module + exports + require`, `28`), script("names of the prelude", `let Promise = 1, Object = 2, console = 3, setTimeout = 4; await null; Promise + Object + console + setTimeout`, `10`), script("await as a name", `var await_ = 1; (function () { var await = 2; return await })()`, `2`),
		script("arguments of the wrapper", `return typeof arguments[0] + arguments.length`, `"undefined0"`), script("arguments of a script", `typeof arguments`, `"undefined"`), script("new.target", `return new.target === undefined`, `true`), invalidSource("super", `return super.x`, ""), invalidSource("yield", `yield 1`, ""), script("this of a function", `return this === undefined || this === globalThis`, `true`), script("this of a module", `export default this === undefined`, `true`), script("callee", `return (() => { try { return typeof arguments.callee } catch (e) { return e.name } })()`, `"function"`),
		script("the caller of a function", `return (function f() { return f.caller })() === null`, `false`), script("the source of the wrapper", caller, quoted("async function(){"+caller+"\n}")),
		script("import.meta", `export default Object.keys(import.meta).length`, `0`), script("import.meta's prototype", `export default Object.getPrototypeOf(import.meta) === null`, `true`), invalidSource("import.meta in a forced script", "`${import.meta}`", "").forced(supervisor.ModeScript), invalidSource("export in a function", `return 1; export default 2`, ""), invalidSource("two defaults", `export default 1; export default 2`, ""),
		script("only a comment", `/* */`, `{"$type":"undefined"}`), script("only a directive", `"use strict"`, `"use strict"`), script("a hundred thousand statements", strings.Repeat("1;", 100_000), `1`), script("one long line", "1"+strings.Repeat(" ", 400_000)+"+ 1", `2`), script("many lines", strings.Repeat("\n", 400_000)+"3", `3`), invalidSource("a source above its limit", "1;"+strings.Repeat(" ", 524_288), "maxCodeBytes"),
		{name: "deep brackets", source: strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000), want: supervisor.ErrValidation, error: "RangeError"}, {name: "deep brackets with types", source: "let x: any = " + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000), want: supervisor.ErrValidation}, {name: "deep unary operators", source: strings.Repeat("!", 200_000) + "1", want: supervisor.ErrValidation, error: "RangeError"}, {name: "a long chain", source: "let x: number = 1" + strings.Repeat("+1", 100_000) + "; x"}, {name: "deep types", source: "let x: " + strings.Repeat("Array<", 50_000) + "1" + strings.Repeat(">", 50_000)},
	}

	classes["spoofs"] = []attack{
		at("sourceMappingURL with another's positions", "null.x\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi9ldGMvZXZpbCJdLCJtYXBwaW5ncyI6IkFBQUE7In0=", 1, 6), at("sourceMappingURL of a file", "null.x\n//# sourceMappingURL=file:///etc/passwd", 1, 6), at("sourceMappingURL with types", "const a: any = null;\na.x\n//# sourceMappingURL=/etc/evil.map", 2, 3),
		at("sourceURL", "null.x\n//# sourceURL=/etc/evil.js", 1, 6), at("sourceURL of ours", "null.x\n//# sourceURL=realm:capabilities", 1, 6), at("sourceURL with types", "const a: any = null;\na.x\n//@ sourceURL=evil", 2, 3), at("sourceURL of a module", "export default () => null.x\n//# sourceURL=realm:internal", 1, 27),
		throwsAt("a name like the engine's frames", "const o = { ['at realm:capabilities (native)']() { null.x } }; o['at realm:capabilities (native)']()", 1, 57), throwsAt("a stack of one's own", "const e = new Error('m'); e.stack = 'Error: m\\n    at evil (/etc/evil:1:1)'; throw e", 1, 11),
		script("references to files", "/// <reference path=\"/etc/passwd\"/>\n/// <reference types=\"node\"/>\nconst a: number = 1; a", `1`), script("JSX's pragma", "/** @jsx evil */ /* @jsxImportSource evil */\nconst a: number = 1; a", `1`), invalidSource("JSX", `const a: any = <evil/>; a`, ""), script("configuration in comments", "// @ts-nocheck\n/* tsconfig: {} */ // @filename: /etc/passwd\nconst a: number = 1; a", `1`),
		{name: "import equals", source: `import fs = require('fs'); fs`, want: supervisor.ErrRuntime, error: "require is not defined"}, {name: "export equals", source: `const a: number = 1; export = a`, want: supervisor.ErrRuntime, error: "module is not defined"}, invalidSource("import of a type and more", `import { type A, b } from 'evil'; export default b`, "evil"), script("import of a type alone", `import type { A } from 'evil'; export default 1`, `1`), script("import type inline", `const a: import('evil').A = 1; a`, `1`), script("declare", `declare const process: any; declare module 'fs'; typeof process`, `"undefined"`),
		script("an enum that is evaluated", `enum E { A = [..."evil"].length as any } E.A`, `4`), script("a namespace that merges with a global", `namespace Math { export const evil = 1 } typeof Math.PI`, `"number"`), script("a decorator's names", `function d(v: any, c: any) { return v } class A { @d static ['__proto__']() { return 1 } } A['__proto__']()`, `1`), script("satisfies", `({ a: 1 } satisfies { a: number }).a`, `1`),
		script("a parameter property", `class A { constructor(public __proto__: any) {} } typeof new A({ x: 1 })`, `"object"`), script("unicode in types", "let \u0061\u200d: number = 1; a\u200d", `1`), script("a comment that looks like a map", "const a: number = 1; a //# sourceMappingURL=data:,", `1`),
		at("sourceMappingURL with types and another's positions", "const a: any = null;\na.x\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi9ldGMvZXZpbCJdLCJtYXBwaW5ncyI6IkFBK0NBO0FBQ0EifQ==", 2, 3),
		at("sourceMappingURL of a function with types", "const a: any = await null;\nreturn a.x /*# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi9ldGMvZXZpbCJdLCJtYXBwaW5ncyI6IkFBK0NBO0FBQ0EifQ== */", 2, 10),
		at("sourceURL of a function", "return null.x\n//# sourceURL=realm:internal", 1, 13),
	}

	classes["imports"] = append(importAttacks(),
		script("specifiers that are counted twice", `let n = 0; await import({ toString: () => n++ ? 'node:fs' : 'realm:capabilities' }).then(m => typeof m.readText, e => e.name)`, `"function"`),
		script("a specifier of megabytes", `await import('x'.repeat(1 << 20)).then(() => 'loaded', () => 'rejected')`, `"rejected"`),
		attack{name: "import attributes", needs: "import attributes", source: `(await Promise.allSettled([import('realm:capabilities', { with: { get type() { throw new RangeError('x') } } }), import('/etc/passwd', { with: { type: 'text' } })])).map(r => r.status)`, value: `["rejected","rejected"]`},
		script("a thousand imports", `(await Promise.allSettled(Array.from({ length: 1000 }, (_, i) => import('x' + i)))).every(r => r.status === 'rejected')`, `true`),
		script("import.source and import.defer", `const r = []; for (const s of ["import.defer('realm:capabilities')", "import.source('realm:capabilities')", "import.evil('x')"]) try { r.push(typeof eval(s)) } catch (e) { r.push(e.name) } r`, `["SyntaxError","SyntaxError","SyntaxError"]`),
		script("exports that are live", `import * as c from 'realm:capabilities'; export default Reflect.ownKeys(c).includes('native')`, `false`),
		invalidSource("an export that is not there", `import { native } from 'realm:capabilities'; export default native`, "native"), invalidSource("a default that is not there", `import c from 'realm:capabilities'; export default c`, "default"),
	)
}

// importAttacks ask for what is not granted in every way that there is.
func importAttacks() (all []attack) {
	for _, specifier := range []string{
		"fs", "node:fs", "node:process", "child_process", "/etc/passwd", "file:///etc/passwd", "./a", "../a", "https://x.org/a.js", "data:text/javascript,export default 1", "blob:x", "javascript:1", "wasm:x",
		"realm:", "realm:internal", "realm:capabilities?x", "realm:capabilities#x", "realm:capabilities/", "REALM:capabilities", " realm:capabilities", "realm:capabilities ", "realm:capabilities\\u0000", "realm:%63apabilities", "./realm:capabilities", "realm://capabilities",
		"fino:ai/sandbox", "fino:ai/sandbox/capabilities/x", "__proto__", "constructor", "toString", "hasOwnProperty", "errors", "primordials", "native", "capabilities", "main.ts", "guest.ts", "\\x1b[2J", "a\\u2028b", "\\ud800", "",
	} {
		name := specifier
		if name == "" {
			name = "nothing"
		}
		all = append(all,
			attack{name: "static " + name, source: "import * as x from '" + specifier + "'; export default x", want: supervisor.ErrValidation},
			attack{name: "dynamic " + name, source: "await import('" + specifier + "').then(() => 'loaded', () => 'rejected')", value: `"rejected"`})
	}
	return all
}

func (a attack) forced(m supervisor.Mode) attack {
	a.mode = m
	return a
}
