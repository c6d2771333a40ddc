package supervisor_test

import (
	"os"
	"path/filepath"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// files writes a tree and answers its directory.
func files(t testing.TB, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func modules(m map[string]string) change { return granted(grants.Grants{Modules: m}) }

func TestGrantedModulesOfEveryKindAreImported(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{
		"plain.js":   "export default 'js'; export const n = 1",
		"types.ts":   "export interface Point { x: number }\nexport enum Kind { A = 7 }\nexport const at = (p: Point): number => p.x",
		"data.json":  `{"list": [1, {"__proto__": 2}], "last": null}`,
		"types.mts":  "export default <T,>(v: T): T => v",
		"effect.mjs": "globalThis.effect = (globalThis.effect ?? 0) + 1",
		"slow.mjs":   "export const late = await new Promise(f => setTimeout(f, 3, 'late'))",
	})
	g := modules(map[string]string{
		"plain": dir + "/plain.js", "#types": dir + "/types.ts", "data": dir + "/data.json", "generic": dir + "/types.mts",
		"https://example.com/effect.js": dir + "/effect.mjs", "@scope/slow": dir + "/slow.mjs",
	})
	for _, c := range []struct{ source, want string }{
		{`import text, { n } from 'plain'; export default [text, n]`, `["js",1]`},
		{`import * as all from 'plain'; export default Object.keys(all)`, `["default","n"]`},
		{`import { at, Kind, type Point } from '#types'; const p: Point = {x: 3}; export default at(p) + Kind.A`, `10`},
		{`import data from 'data' with { type: 'json' }; export default data`, `{"list":[1,{"__proto__":2}],"last":null}`},
		{`(await import('data', { with: { type: 'json' } })).default.list[0]`, `1`},
		{`import same from 'generic'; export default same<number>(4)`, `4`},
		{`import 'https://example.com/effect.js'; import 'https://example.com/effect.js'; await import('https://example.com/effect.js'); export default globalThis.effect`, `1`},
		{`import { late } from '@scope/slow'; export default late`, `"late"`},
		{`export { n as default } from 'plain'`, `1`},
		{`const all = await Promise.all(['plain', 'plain'].map(s => import(s))); all[0] === all[1]`, `true`},
		{`import('plain').then(m => m.default)`, `"js"`},
	} {
		if !lacksAttributes(t, c.source, g) {
			yields(t, c.want, c.source, g)
		}
	}
}

func TestAPackageBeginsAtItsEntryAndImportsItsOwnFiles(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{
		"pkg/package.json":       `{"name": "pkg", "exports": {".": {"import": "./src/main.js", "require": "./main.cjs"}, "./extra": "./src/extra.ts", "./package.json": "./package.json"}}`,
		"pkg/src/main.js":        "import { half } from './deep/half.js'; import table from '../table.json';\nexport * from './extra'; export const twice = n => half(n) * 4 + table.zero",
		"pkg/src/extra.ts":       "export const extra: string = 'extra'",
		"pkg/src/deep/half.js":   "import { twice } from '../main.js'; export const half = n => n / 2; export const cycle = () => typeof twice",
		"pkg/table.json":         `{"zero": 0}`,
		"pkg/main.cjs":           "throw new Error('the other entry')",
		"pkg/escape.js":          "export default await Promise.all(['../outside.js', 'other', 'fs', './none.js'].map(s => import(s).then(() => 'loaded', e => e.message)))",
		"pkg/node_modules/x.js":  "export default 'nested'",
		"outside.js":             "export default 'outside'",
		"pkg/src/broken/tail.js": "export const x = ;",
	})
	g := modules(map[string]string{"pkg": dir + "/pkg"})
	for _, c := range []struct{ source, want string }{
		{`import { twice, extra } from 'pkg'; export default [twice(3), extra]`, `[6,"extra"]`},
		{`import { extra } from 'pkg/extra'; export default extra`, `"extra"`},
		{`import { cycle } from 'pkg/src/deep/half.js'; export default cycle()`, `"function"`},
		{`import { name } from 'pkg/package.json'; export default name`, ``},
		{`import pkg from 'pkg/package.json' with { type: 'json' }; export default pkg.name`, `"pkg"`},
	} {
		if c.want == "" { // a JSON module has a default export only
			_, e := fails(t, supervisor.ErrValidation, c.source, g)
			contains(t, e.Message, "name")
			continue
		}
		if !lacksAttributes(t, c.source, g) {
			yields(t, c.want, c.source, g)
		}
	}
	refusals := succeed(t, `import out from 'pkg/escape.js'; export default out`, g).Value.([]any)
	for i, specifier := range []string{"../outside.js", "other", "fs", "./none.js"} {
		contains(t, refusals[i].(string), specifier)
	}
	for _, specifier := range []string{"pkg/node_modules/x.js", "pkg/../outside.js", "./pkg/src/main.js", "pkg/none", "PKG"} {
		_, e := fails(t, supervisor.ErrValidation, `import x from `+quoted(specifier)+`; export default x`, g)
		contains(t, e.Message, specifier)
	}
	_, e := fails(t, supervisor.ErrValidation, "\nimport 'pkg/src/broken/tail.js'; export default 1", g)
	contains(t, e.Message, "pkg/src/broken/tail.js:1:18")
}

// The specifier is in the message, its place in the position, the fix in the hint.
func TestARefusedImportNamesItsSpecifierPlaceAndFix(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"a.mjs": "export default 1"})
	g := modules(map[string]string{"granted": dir + "/a.mjs"})
	for _, c := range []struct{ specifier, fix string }{
		{"left-pad", `modules: {"left-pad": PATH}`},
		{"left-pad", "realm:capabilities, granted"},
		{"node:fs", "readText"},
		{"fs/promises", "readText"},
		{"axios", "fetchText"},
		{"crypto", "randomUUID"},
		{"./neighbour.js", "one file"},
	} {
		_, e := fails(t, supervisor.ErrValidation, "const a = 1;\n  import x from "+quoted(c.specifier)+";\nexport default x", g)
		contains(t, e.Message, c.specifier)
		contains(t, e.Hint, c.fix)
		if e.Line != 2 || e.Column != 17 || e.Phase != "compile" {
			t.Errorf("%s: %d:%d in %s", c.specifier, e.Line, e.Column, e.Phase)
		}
		text := succeed(t, `import(`+quoted(c.specifier)+`).catch(e => e.name + ': ' + e.message)`, g).Value.(string)
		contains(t, text, "TypeError", c.specifier, c.fix)
	}
	_, e := fails(t, supervisor.ErrValidation, "import { readFile } from 'realm:capabilities';\nexport default readFile")
	contains(t, e.Message, "readFile", "realm:capabilities")
	if e.Line != 1 || e.Column != 10 {
		t.Errorf("%d:%d", e.Line, e.Column)
	}
	for kind, says := range map[string]string{"css": "css", "json": "JSON"} {
		source := `import x from 'granted' with { type: '` + kind + `' }; export default x`
		if !lacksAttributes(t, source, g) {
			_, e := fails(t, supervisor.ErrValidation, source, g)
			contains(t, e.Message, says)
		}
	}
}

func TestCommonJSHasADefaultAndNames(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{
		"pkg/package.json":  `{"main": "main"}`,
		"pkg/main.js":       "'use strict';\nexports.helper = require('./lib/helper');\nexports.data = require('./data.json');\nexports.a = require('./a');\nexports.where = [__filename, __dirname];\nObject.defineProperty(exports, 'lazy', { enumerable: true, get: () => 'got' });\ntry { require('fs') } catch (e) { exports.missing = [e.code, e.message] }",
		"pkg/lib/helper.js": "module.exports = function (n) { return n + 1 }; module.exports.isFunction = true",
		"pkg/lib/index.js":  "module.exports = require('..').where",
		"pkg/data.json":     `{"k": [1]}`,
		"pkg/a.js":          "exports.before = true; exports.b = require('./b'); exports.after = true",
		"pkg/b.js":          "const a = require('./a'); module.exports = { before: a.before, after: a.after === undefined }",
		"compiled.js":       "'use strict';\nObject.defineProperty(exports, '__esModule', { value: true });\nexports.default = class Klass { hi() { return 'hi' } };\nexports.named = 2",
		"umd.js":            "(function (root, factory) {\n  if (typeof define === 'function' && define.amd) define([], factory);\n  else if (typeof module === 'object' && module.exports) module.exports = factory();\n  else root.umd = factory();\n})(this, function () { return { name: 'umd' } })",
		"primitive.cjs":     "module.exports = 42",
		"throws.cjs":        "\n\nthrow new RangeError('while it loads')",
		"endless.cjs":       "for (;;);",
		"broken.cjs":        "module.exports = {\n  x: ,\n}",
		"typed.ts":          "interface P { x: number }\nconst p: P = { x: 1 };\nmodule.exports = { p }",
		"await.js":          "// exports nothing and requires(nothing)\nexport default await Promise.resolve('a module all the same')",
	})
	g := modules(map[string]string{
		"pkg": dir + "/pkg", "compiled": dir + "/compiled.js", "umd": dir + "/umd.js", "primitive": dir + "/primitive.cjs", "throws": dir + "/throws.cjs",
		"endless": dir + "/endless.cjs", "broken": dir + "/broken.cjs", "typed": dir + "/typed.ts", "await": dir + "/await.js",
	})
	for _, c := range []struct{ source, want string }{
		{`import pkg from 'pkg'; export default [pkg.helper(1), pkg.data, pkg.lazy]`, `[2,{"k":[1]},"got"]`},
		{`import pkg, { helper, data, lazy } from 'pkg'; export default [helper === pkg.helper, helper(1), data, lazy]`, `[true,2,{"k":[1]},"got"]`},
		{`import { where } from 'pkg'; export default where`, `["pkg/main.js","pkg"]`},
		{`import { a } from 'pkg'; export default a`, `{"before":true,"b":{"before":true,"after":true},"after":true}`},
		{`import where from 'pkg/lib'; export default where`, `["pkg/main.js","pkg"]`},
		{`import helper, { isFunction } from 'pkg/lib/helper'; export default [helper(2), isFunction]`, `[3,true]`},
		{`import * as all from 'pkg'; export default Object.keys(all)`, `["a","data","default","helper","lazy","missing","where"]`},
		{`import Klass, { named } from 'compiled'; export default [new Klass().hi(), named]`, `["hi",2]`},
		{`import { name } from 'umd'; export default name`, `"umd"`},
		{`const { default: umd } = await import('umd'); umd`, `{"name":"umd"}`},
		{`import n from 'primitive'; export default n`, `42`},
		{`import { p } from 'typed'; export default p`, `{"x":1}`},
		{`import text from 'await'; export default text`, `"a module all the same"`},
		{`import('throws').catch(e => [e.name, e.message])`, `["RangeError","while it loads"]`},
		{`const twice = [await import('throws').catch(e => 1), await import('pkg').then(m => m.default.helper(0))]; twice`, `[1,1]`},
		{`[typeof require, typeof module, typeof exports]`, `["undefined","undefined","undefined"]`},
	} {
		yields(t, c.want, c.source, g)
	}
	missing := succeed(t, `import { missing } from 'pkg'; export default missing`, g).Value.([]any)
	if missing[0] != "MODULE_NOT_FOUND" {
		t.Errorf("%v", missing)
	}
	contains(t, missing[1].(string), `"fs"`, "readText")

	_, e := fails(t, supervisor.ErrRuntime, "import 'throws';\nexport default 1", g)
	contains(t, e.Stack, "RangeError: while it loads", "throws:3:7")
	_, e = fails(t, supervisor.ErrValidation, "import 'broken';\nexport default 1", g)
	contains(t, e.Message, "broken:2:6")
	_, e = interrupted(t, "import 'endless';\nexport default 1", g, limited(supervisor.Limits{WallClockMs: 400}))
	contains(t, e.Stack, "endless:1")
	_, e = fails(t, supervisor.ErrValidation, "import { none } from 'pkg';\nexport default none", g)
	contains(t, e.Message, "none")
}

// A line of somebody else's file says nothing about the user's source: the
// position is where that file was called, the stack tells the rest.
func TestAnErrorInAModuleIsPlacedWhereTheUserCalledIt(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{
		"lib.ts": "interface X { a: number }\n\nexport function boom(x: X): never {\n  throw new TypeError('boom');\n}\nexport const later = async (x: X) => { await null; boom(x) }\nexport const call = <T,>(f: () => T): T => f()",
	})
	g := modules(map[string]string{"lib": dir + "/lib.ts"})
	for _, c := range []struct {
		source       string
		line, column int
		stack        []string
	}{
		{"import { boom } from 'lib';\n\nexport default () => boom({a: 1});", 3, 22, []string{"at boom (lib:4:9)", "at default (guest.ts:3:22)"}},
		{"import { later } from 'lib';\nexport default async () => {\n  await later({a: 1});\n}", 3, 3, []string{"at boom (lib:4:9)", "at async default (guest.ts:3:3)"}},
		{"import { call } from 'lib';\nexport default () => call(() => {\n  throw new Error('mine') });", 3, 9, []string{"at call (lib:7:", "at default (guest.ts:2:22)"}},
	} {
		_, e := fails(t, supervisor.ErrRuntime, c.source, g)
		if e.Line != c.line || e.Column != c.column {
			t.Errorf("%q: at %d:%d, want %d:%d\n%s", c.source, e.Line, e.Column, c.line, c.column, e.Stack)
		}
		contains(t, e.Stack, c.stack...)
	}
}

func TestModulesAreReadBeforeTheRunAndOnlyByTheSupervisor(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"a.mjs": "export default 1", "pkg/readme.md": "no manifest"})
	if err := os.Symlink(dir+"/a.mjs", dir+"/link.mjs"); err != nil {
		t.Fatal(err)
	}
	yields(t, `1`, `import a from 'a'; export default a`, modules(map[string]string{"a": dir + "/link.mjs"}))
	for specifier, path := range map[string]string{"none": dir + "/none.mjs", "pkg": dir + "/pkg", "dev": "/dev/zero", "relative": "a.mjs", "realm:capabilities": dir + "/a.mjs"} {
		res, e := fails(t, supervisor.ErrInvalid, `console.log('ran')`, modules(map[string]string{specifier: path}))
		contains(t, e.Message, specifier)
		if len(res.Logs) > 0 {
			t.Errorf("%s: something ran", specifier)
		}
	}
	res := succeed(t, `import a from 'a'; export default a`, modules(map[string]string{"a": dir + "/a.mjs"}))
	if res.Stats.Operations != 0 {
		t.Errorf("an import is charged as an operation: %+v", res.Stats)
	}
}

// A realm that waited for its source takes modules and bindings like a fresh one.
func TestPreStartedRealmsTakeModulesAndBindings(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"a.cjs": "exports.n = 1", "calc.wasm": emptyModule, "calc.js": "globalThis.calc = binary.byteLength"})
	s := supervise(t, supervisor.Config{WarmPoolSize: 2})
	for range 4 {
		res, err := runIn(t, s, `import { n } from 'a'; export default n + calc`, granted(grants.Grants{
			Modules: map[string]string{"a": dir + "/a.cjs"}, Wasm: []grants.Wasm{{Name: "calc", WasmPath: dir + "/calc.wasm", JSBindingPath: dir + "/calc.js"}},
		}))
		if err != nil || res.Value != 9.0 {
			t.Fatalf("%v, %v", res.Value, err)
		}
	}
	if res, err := runIn(t, s, `[typeof calc, await import('a').catch(e => 'refused')]`); err != nil || res.Value.([]any)[0] != "undefined" || res.Value.([]any)[1] != "refused" {
		t.Errorf("%v, %v", res.Value, err)
	}
}
