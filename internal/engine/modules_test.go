package engine

import (
	"slices"
	"strings"
	"testing"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

func granting(modules ...rpc.Module) func(*rpc.Execute, *supervisor, *v8.Realm) {
	return func(x *rpc.Execute, s *supervisor, _ *v8.Realm) {
		x.Modules = modules
		s.answer = func(rpc.Frame) *rpc.Reply { return text("v") }
	}
}

func file(specifier, pkg, path, source string) rpc.Module {
	return rpc.Module{Specifier: specifier, Package: pkg, Path: path, Source: []byte(source)}
}

func TestGrantedModulesAreImported(t *testing.T) {
	lib := []rpc.Module{
		file("lib", "lib", "index.js", "import { half } from './math/half.js';\nexport { default as data } from './data.json';\nexport const quarter = (x) => half(half(x));\nexport default 'lib'"),
		file("", "lib", "math/half.js", "import { name } from '../name';\nexport const half = (x) => x / 2;\nexport { name }"),
		file("", "lib", "name.ts", "export const name: string = 'half'"),
		file("", "lib", "data.json", `{"a": [1, 2]}`),
		file("lib/math", "lib", "math/half.js", "import { name } from '../name';\nexport const half = (x) => x / 2;\nexport { name }"),
		file("a", "a", "a.js", "import { b } from './b.js';\nexport const a = 'a', all = () => a + b"),
		file("", "a", "b.js", "import { a } from './a.js';\nexport const b = 'b', late = () => a"),
		file("old", "old", "old.js", "'use strict';\nexports.x = 1;\nexports.default = 2;\nexports.f = function () { return module.exports === exports }"),
		file("umd", "umd", "umd.js", "(function (g, f) { typeof module === 'object' && module.exports ? module.exports = f() : g.umd = f() })(this, function () { return { version: 7 } })"),
		file("esm-cjs", "e", "e.cjs", "Object.defineProperty(exports, '__esModule', { value: true });\nexports.default = class Z {};\nexports.z = 'z'"),
		file("caps", "caps", "c.js", "export { environment } from 'realm:capabilities'"),
		file("self", "self", "s.js", "import('self');\nexport const v = 1"),
		file("typed", "typed", "index.ts", "export interface Foo { a: number }\nexport const x = 1"),
		file("typed/user", "typed", "user.ts", "import { Foo, x } from './index';\nexport const y = x"),
		file("reads", "reads", "r.js", "export const seen = globalThis.ready"),
	}
	for _, c := range []struct{ name, source, want string }{
		{"a package with files of its own", "import lib, { quarter, data } from 'lib';\nexport default [lib, quarter(8), data]", `["lib",2,{"a":[1,2]}]`},
		{"a sub-path, a path without extension", "import { name } from 'lib/math';\nexport default name", `"half"`},
		{"imports that lead back", "import { all } from 'a';\nexport default all()", `"ab"`},
		{"CommonJS", "import old, { x, f } from 'old';\nexport default [old.default, x, f()]", `[2,1,true]`},
		{"UMD", "import umd from 'umd';\nexport default umd.version", `7`},
		{"CommonJS made of a module", "import Z, { z } from 'esm-cjs';\nexport default [Z.name, z]", `["Z","z"]`},
		{"a capability passed on", "import { environment } from 'caps';\nexport default environment('X')", `"v"`},
		{"import() of a granted module", "const { quarter } = await import('lib'); quarter(4)", `1`},
		{"import() within a package", "(await import('lib')).default", `"lib"`},
		{"one instance", "const a = await import('lib'), b = await import('lib'); a === b", `true`},
		{"JSON by attribute", "import d from 'text' with { type: 'json' };\nexport default d", `[1]`},
		{"capabilities by their other name", "import { environment } from 'fino:ai/sandbox/capabilities';\nexport default environment('X')", `"v"`},
		{"import() of what is being evaluated", "import { v } from 'self';\nexport default v", `1`},
		{"import() goes on after the code that imports", "const p = import('reads'); globalThis.ready = true; (await p).seen", `true`},
		{"all of capabilities", "import * as c from 'realm:capabilities';\nexport default Object.keys(c).length", `19`},
		{"a name that stands for a type", "import { Foo, x } from 'typed';\nconst f: Foo = { a: x };\nexport default f", `{"a":1}`},
		{"a name that stands for a type, beside what no plain type is", "import { Foo, x } from 'typed';\nenum E { A }\nconst f: Foo = { a: x };\nexport default f", `{"a":1}`},
		{"a module that imports types by name", "import { y } from 'typed/user';\nexport default y", `1`},
		{"import() of a module that imports types by name", "(await import('typed/user')).y", `1`},
		{"a name that stands for a type, beside CommonJS", "import { Foo, x } from 'typed';\nimport { f } from 'old';\nexport default f()", `true`},
	} {
		if _, ok := lacks[c.name]; ok {
			continue
		}
		o := runSource(t, c.source, granting(append(slices.Clone(lib), file("text", "", "", "[1]"))...))
		if o.value != c.want {
			t.Errorf("%s: %s %+v", c.name, o.value, o.failure)
		}
	}
}

func TestEverythingElseIsRefusedByName(t *testing.T) {
	inside := file("lib", "lib", "index.js", "import x from 'left-pad';\nexport default x")
	outside := file("up", "up", "index.js", "import x from '../lib/index.js';\nexport default x")
	misses := file("misses", "misses", "index.ts", "import { nothing } from 'realm:capabilities';\nexport default nothing")
	typed := file("typed", "typed", "index.ts", "export interface Foo { a: number }\nexport const x = 1")
	broken := file("broken", "broken", "index.js", "export default 1;\nlet a = ;")
	for _, c := range []struct {
		name, source, message, hint string
		line, column                int64
	}{
		{"a Node module", "\nimport fs from 'fs';\nexport default fs", `cannot import "fs"`, "readText", 2, 1},
		{"a Node module with its scheme", "import { readFile } from 'node:fs/promises';\nexport default readFile", `cannot import "node:fs/promises"`, "readText", 1, 1},
		{"a package", "export default 1;\n  import 'lodash'", `cannot import "lodash"`, "lib", 2, 3},
		{"a URL", "import x from 'https://esm.sh/x';\nexport default x", `cannot import "https://esm.sh/x"`, "", 1, 1},
		{"a file beside", "export { x } from './x.js'", `cannot import "./x.js"`, "", 1, 1},
		{"an absolute path", "import '/etc/passwd'", `cannot import "/etc/passwd"`, "", 1, 1},
		{"our own scheme", "import 'realm:prelude/console'", `cannot import "realm:prelude/console"`, "", 1, 1},
		{"TypeScript's positions", "interface A {}\n\nimport { b } from 'b';\nexport const a: A = b", `cannot import "b"`, "", 3, 1},
		{"an unused import in TypeScript", "import { b } from 'b';\nexport default (a: number) => a", `cannot import "b"`, "", 1, 1},
		{"an unused import in TypeScript that is no plain one", "import b from 'b';\nenum E { A }\nexport default E", `cannot import "b"`, "", 1, 1},
		{"an import for a type", "import { B } from 'b';\nexport default (a: B) => a", `cannot import "b"`, "", 1, 1},
		{"Node's process", "import process from 'node:process';\nexport default process", `cannot import "node:process"`, "environment('NAME')", 1, 1},
		{"an import of a granted module", "import 'lib'", `cannot import "left-pad" (in lib/index.js:1:`, "", 0, 0},
		{"a path out of a package", "import 'up'", `cannot import "../lib/index.js" (in up/index.js:1:`, "", 0, 0},
		{"a name that is not exported", "import { nothing } from 'realm:capabilities';\nexport default nothing", "does not provide an export named 'nothing'", "", 1, 10},
		{"a name that is not exported, in TypeScript", "import { nothing } from 'realm:capabilities';\nexport default (a: number) => nothing", "does not provide an export named 'nothing'", "", 1, 10},
		{"a name that is not exported, in TypeScript that is no plain one", "import { nothing } from 'realm:capabilities';\nenum E { A }\nexport default nothing", "does not provide an export named 'nothing'", "", 1, 10},
		{"a name that is not exported, beside a type", "import { Foo, nothing } from 'typed';\nconst f: Foo = { a: 1 };\nexport default [f, nothing]", "does not provide an export named 'nothing'", "", 1, 10},
		{"a name that is exported again", "import { nothing } from 'realm:capabilities';\nexport { nothing }", "does not provide an export named 'nothing'", "", 1, 10},
		{"a name that a granted module misses", "import 'misses'", "does not provide an export named 'nothing'", "", 0, 0},
		{"a granted module that does not compile", "import 'broken'", "(in broken/index.js:2:9)", "", 0, 0},
	} {
		f := runSource(t, c.source, granting(inside, outside, broken, misses, typed)).failure
		if f == nil || f.Code != "VALIDATION" || f.Phase != "compile" || !strings.Contains(f.Message, c.message) || !strings.Contains(f.Hint, c.hint) {
			t.Errorf("%s: %+v", c.name, f)
			continue
		}
		if f.Line != c.line || c.line > 0 && (f.Column < c.column) {
			t.Errorf("%s: at %d:%d", c.name, f.Line, f.Column)
		}
	}
	for _, source := range []string{"await import('fs')", "await import('./x.js')", "const m = 'f' + 's'; await import(m)"} {
		f := runSource(t, source, nil).failure
		if f == nil || f.Code != "RUNTIME" || f.Name != "TypeError" || !strings.Contains(f.Message, "cannot import") {
			t.Errorf("%s: %+v", source, f)
		}
	}
	if o := runSource(t, "export default Object.keys(import.meta)", nil); o.value != "[]" {
		t.Errorf("import.meta: %s %+v", o.value, o.failure)
	}
}

func TestErrorsInModulesNameTheirFile(t *testing.T) {
	lib := granting(
		file("lib", "lib", "src/index.ts", "interface A {}\nexport function f(a?: A) {\n  throw new Error('x')\n}"),
		file("throws", "throws", "t.mjs", "throw new Error('x')"), file("old", "old", "t.cjs", "throw new Error('x')"),
	)
	for _, c := range []struct{ source, file, at string }{
		{"import { f } from 'lib';\nexport default () => f()", "at f (lib/src/index.ts:3:9)", "main.ts:2:22"},
		{"1;\n  await import('throws')", "at throws/t.mjs:1:7", "main.ts:2:3"},
		{"1;\n  await import('old')", "old/t.cjs:1:7", "main.ts:2:3"},
	} {
		f := runSource(t, c.source, lib).failure
		if f == nil || !strings.Contains(f.Stack, c.file) || !strings.Contains(f.Stack, c.at) || f.Line != 2 {
			t.Errorf("%s: %+v", c.source, f)
		}
	}
}

// Nothing that could not be loaded passes for what is loaded the second time.
func TestImportsThatFailFailAgain(t *testing.T) {
	modules := granting(
		file("throws", "throws", "t.cjs", "exports.n = 1;\nglobalThis.runs = (globalThis.runs ?? 0) + 1;\nthrow new RangeError(Object.keys(exports) + runs)"),
		file("tries", "tries", "t.js", "let said = '';\nfor (const again of [1, 2]) try { require('throws') } catch (e) { said += e.name }\nmodule.exports = said"),
		file("m", "m", "m.js", "import './n.js';\nimport 'nope';\nexport const v = 1"),
		file("m/n", "m", "n.js", "import './m.js';\nexport const n = 1"),
	)
	for _, c := range []struct{ name, source, want string }{
		{"CommonJS that throws", "const r = []; for (let i = 0; i < 2; i++) r.push(await import('throws').then(() => 'loaded', String)); r", `["RangeError: n1","RangeError: n2"]`},
		{"CommonJS that is required", "(await import('tries')).default", `"RangeErrorRangeError"`},
		{"an import of what there is not", "const said = []; for (const m of ['m', 'm', 'm/n']) said.push(await import(m).catch(String)); said[0].includes('what can be imported') && new Set(said).size",
			`1`},
	} {
		if o := runSource(t, c.source, modules); o.value != c.want {
			t.Errorf("%s: %s %+v", c.name, o.value, o.failure)
		}
	}
}

// The binary exports add(a, b).
var addition = []byte{
	0, 'a', 's', 'm', 1, 0, 0, 0, 1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 3, 2, 1, 0,
	7, 7, 1, 3, 'a', 'd', 'd', 0, 0, 10, 9, 1, 7, 0, 0x20, 0, 0x20, 1, 0x6a, 0x0b,
}

func TestBindingsRunBeforeTheUsersCode(t *testing.T) {
	bound := func(binding string) func(*rpc.Execute, *supervisor, *v8.Realm) {
		return func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) {
			x.Wasm = []rpc.Wasm{{Name: "calc", Binary: addition, Binding: []byte(binding)}}
		}
	}
	o := runSource(t, "calc.add(2, 3)", bound("const { instance } = await WebAssembly.instantiate(binary); globalThis[name] = instance.exports"))
	if o.value != "5" {
		t.Errorf("%s %+v", o.value, o.failure)
	}
	o = runSource(t, "typeof binary + typeof calc", bound("globalThis.calc = new WebAssembly.Instance(new WebAssembly.Module(binary)).exports"))
	if o.value != `"undefinedobject"` {
		t.Errorf("%s %+v", o.value, o.failure)
	}
	f := runSource(t, "1", bound("\n  throw new Error('no')")).failure
	if f == nil || f.Code != "RUNTIME" || !strings.Contains(f.Stack, "calc:2:9") {
		t.Errorf("%+v", f)
	}
}

// What a compiler cannot read in a granted file is named with its place there.
func TestWhatIsNoSourceInAModuleIsPlaced(t *testing.T) {
	for _, c := range []struct{ text, message string }{
		{"export const a = 1;\n a\x00", "U+0000, a NUL (in a:2:3)"},
		{"export const a = 1;\n \u200b", "U+200B, which cannot be seen (in a:2:2)"},
		{"export const a = 1;\n //\xff", "not valid UTF-8, see 2:4"},
	} {
		f := runSource(t, "import { a } from 'a';\nexport default a", granting(file("a", "", "a.mjs", c.text))).failure
		if f == nil || f.Code != "VALIDATION" || !strings.Contains(f.Message, c.message) {
			t.Errorf("%q: %+v", c.text, f)
		}
	}
}
