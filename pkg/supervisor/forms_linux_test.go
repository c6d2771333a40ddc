package supervisor_test

import (
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

func TestTheSourceDecidesItsForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, want string }{
		// A script: its completion value, as a console gives it.
		{`{a: 1}`, `{"a":1}`},
		{`1; if (true) 2`, `2`},
		{`let total = 0; for (const n of [1, 2, 3]) total += n`, `6`},
		{`const x = await Promise.resolve(4); x * 2`, `8`},
		{`Promise.resolve(5)`, `5`},
		{`let x = 1`, `{"$type":"undefined"}`},
		{``, `{"$type":"undefined"}`},
		{"// nothing\n", `{"$type":"undefined"}`},
		{`const nums = [1, 2, 3, 4, 5]; nums.reduce((a, b) => a + b, 0);`, `15`},
		// A function body: what it returns.
		{`return 6`, `6`},
		{`const x = await Promise.resolve(7); return x`, `7`},
		{`const x: number = await Promise.resolve(7); return x as number`, `7`},
		{`if (true) return {a: 1}; 2`, `{"a":1}`},
		{`return`, `{"$type":"undefined"}`},
		// A module: its default export.
		{`export default 8`, `8`},
		{`export default function () { return 9 }`, `9`},
		{`export const x = 1`, `{"$type":"undefined"}`},
		{`const v: number = await Promise.resolve(10); export default v`, `10`},
		{`import { environment } from 'realm:capabilities'; export default typeof environment`, `"function"`},
		{`import type { X } from './nowhere'; export default 11`, `11`},
	} {
		yields(t, c.want, c.source)
	}
}

func TestTheFormCanBeForced(t *testing.T) {
	t.Parallel()
	yields(t, `{"$type":"undefined"}`, `1 + 1`, mode(supervisor.ModeFunction))
	yields(t, `{"$type":"undefined"}`, `1 + 1`, mode(supervisor.ModeModule))
	yields(t, `2`, `1 + 1`, mode(supervisor.ModeScript))
	yields(t, `3`, `return 3`, mode(supervisor.ModeFunction))
	fails(t, supervisor.ErrValidation, `return 3`, mode(supervisor.ModeScript))
	fails(t, supervisor.ErrValidation, `return 3`, mode(supervisor.ModeModule))
	fails(t, supervisor.ErrValidation, `export default 3`, mode(supervisor.ModeScript))
	fails(t, supervisor.ErrValidation, `export default 3`, mode(supervisor.ModeFunction))
	if _, e := fails(t, supervisor.ErrInvalid, `1`, mode(supervisor.Mode(strings.Repeat("<", 1<<20)))); len(e.Error()) > 1000 {
		t.Errorf("a long mode is echoed in %d bytes", len(e.Error()))
	}
	_, e := fails(t, supervisor.ErrInvalid, `1`, mode("perl"))
	contains(t, e.Message, "perl", "module")
}

func TestArgumentsAndInputReachTheDefaultExport(t *testing.T) {
	t.Parallel()
	yields(t, `[1,"b",{"c":[2]}]`, `export default (...all) => all`, args(1, "b", map[string]any{"c": []int{2}}))
	yields(t, `[{"n":1},"x"]`, `export default (...all) => all`, input(map[string]int{"n": 1}), args("x"))
	yields(t, `3`, `export default async (a: number, b: number) => a + b`, args(1, 2))
	yields(t, `"undefined"`, `typeof input`)
}

// The article's rule: what comes in is deeply frozen, what goes out is new.
func TestInputIsDeeplyFrozen(t *testing.T) {
	t.Parallel()
	in := map[string]any{"rows": []any{map[string]any{"n": 1.0}}}
	yields(t, `{"rows":[{"n":1}]}`, `
		for (const change of [() => { input.rows = 0 }, () => { input.rows[0].n = 2 }, () => input.rows.push(1), () => { delete input.rows }, () => { input.x = 1 }])
			try { change() } catch {}
		if (!Object.isFrozen(input) || !Object.isFrozen(input.rows) || !Object.isFrozen(input.rows[0])) throw new Error('not frozen');
		input`, input(in))
	fails(t, supervisor.ErrRuntime, `'use strict'; input.rows[0].n = 2`, input(in))
	held := input(&value.Map{Entries: []value.Entry{{Key: "a", Value: 1.0}}})
	fails(t, supervisor.ErrRuntime, `input.set('a', 2)`, held)
	yields(t, `2`, `Map.prototype.set.call(input, 'a', 2); input.get('a')`, held) // as the documents say
	if in["rows"].([]any)[0].(map[string]any)["n"] != 1.0 {
		t.Error("the caller's own value has changed")
	}
}

func TestErrorPositionsAreThoseOfTheUsersSource(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source       string
		code         error
		line, column int
	}{
		{"let a = 1;\nlet b = ;\n", supervisor.ErrValidation, 2, 9},
		{"interface A {\n  x: number\n}\nlet b: number = ;", supervisor.ErrValidation, 4, 17},
		{"const a = 1;\n\n  null.x;", supervisor.ErrRuntime, 3, 8},
		{"type T = {\n  a: string;\n  b: number;\n};\nconst t: T = {a: 'x', b: 1};\nenum E { A }\nthrow new Error('here');", supervisor.ErrRuntime, 7, 7},
		{"return (() => {\n  throw new Error('in a function body');\n})()", supervisor.ErrRuntime, 2, 9},
		{"const x: number = 1;\nreturn (() => {\n  throw new Error('typed');\n})()", supervisor.ErrRuntime, 3, 9},
		{"export default () => {\n  undefinedThing();\n}", supervisor.ErrRuntime, 2, 3},
		{"export default (): void => {\n  undefinedThing();\n}", supervisor.ErrRuntime, 2, 3},
		{"const a = 1;\nimport x from 'left-pad';\nexport default x", supervisor.ErrValidation, 2, 0},
		{"\r\nconst ok = 1;\r\nthrow new Error('crlf')", supervisor.ErrRuntime, 3, 7},
		{"\ufeffconst ok = 1;\nthrow new Error('bom')", supervisor.ErrRuntime, 2, 7},
		{"\ufeffthrow new Error('bom')", supervisor.ErrRuntime, 1, 7},
	} {
		_, e := fails(t, c.code, c.source)
		if e.Line != c.line || c.column != 0 && e.Column != c.column {
			t.Errorf("%q: %s at %d:%d, want %d:%d\n%s", c.source, e.Message, e.Line, e.Column, c.line, c.column, e.Stack)
		}
	}
}

func TestStacksShowTheUsersOwnFramesOnly(t *testing.T) {
	t.Parallel()
	_, e := fails(t, supervisor.ErrRuntime, "interface X { a: 1 }\nfunction inner(): never {\n  throw new Error('deep');\n}\nfunction outer() { inner() }\nouter()",
		func(r *supervisor.Request) { r.Name = "job.ts" })
	contains(t, e.Stack, "inner (job.ts:3:9)", "outer (job.ts:5:20)", "job.ts:6:1")
	if strings.Contains(e.Stack, "capabilities") || strings.Contains(e.Stack, "/root") || strings.Contains(e.Stack, ".go") {
		t.Errorf("stack %s", e.Stack)
	}
}

// Covers: T-JS-02
func TestNothingCanBeImportedButCapabilitiesAndGrantedModules(t *testing.T) {
	t.Parallel()
	for _, specifier := range []string{"fs", "node:fs", "left-pad", "./x.js", "/etc/passwd", "file:///etc/passwd", "https://x.org/a.js", "data:text/javascript,1", "realm:internal"} {
		_, e := fails(t, supervisor.ErrValidation, "import x from "+quoted(specifier)+"; export default x")
		contains(t, e.Message, specifier)
		fails(t, supervisor.ErrValidation, "export * from "+quoted(specifier))
		yields(t, `"rejected"`, `import(`+quoted(specifier)+`).then(() => 'loaded', () => 'rejected')`)
	}
	yields(t, `"function"`, `const c = await import('realm:capabilities'); typeof c.readText`)

	dir := t.TempDir()
	write(t, dir+"/lib/package.json", `{"main": "main.ts"}`)
	write(t, dir+"/lib/main.ts", "import { half } from './half.ts';\nexport const twice = (n: number): number => half(n) * 4")
	write(t, dir+"/lib/half.ts", "export const half = (n: number): number => n / 2")
	write(t, dir+"/secret.ts", "export default 1")
	one := write(t, dir+"/one.mjs", "export default 1")
	g := granted(grants.Grants{Modules: map[string]string{"lib": dir + "/lib", "one": one}})
	yields(t, `6`, `import { twice } from 'lib'; export default twice(3)`, g)
	yields(t, `6`, `(await import('lib')).twice(3)`, g)
	yields(t, `1`, `import one from 'one'; export default one`, g)
	fails(t, supervisor.ErrValidation, `import x from './secret.ts'; export default x`, g)
	fails(t, supervisor.ErrInvalid, `1`, granted(grants.Grants{Modules: map[string]string{"lib": dir + "/none.ts"}}))
}

func TestTimersRunInOrderAndPendingOnesAreDropped(t *testing.T) {
	t.Parallel()
	yields(t, `["sync","micro","promise","t0","t5"]`, `
		const order = [];
		setTimeout(() => order.push('t5'), 5); setTimeout(() => order.push('t0')); const never = setTimeout(() => order.push('never'), 1); clearTimeout(never);
		queueMicrotask(() => order.push('micro')); Promise.resolve().then(() => order.push('promise')); order.push('sync');
		await new Promise(f => setTimeout(f, 20)); order`)
	yields(t, `1`, `setTimeout(() => { throw new Error('dropped') }, 60_000); setInterval(() => {}, 50_000); 1`)
	_, e := fails(t, supervisor.ErrRuntime, "setTimeout(() => {\n  throw new Error('in a timer') })\nawait new Promise(f => setTimeout(f, 1000))")
	if e.Line != 2 {
		t.Errorf("line %d", e.Line)
	}
}

// A run ends when every operation that was issued has finished.
func TestOperationsThatNobodyAwaitsFinishFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	res := succeed(t, `const { writeText } = await import('realm:capabilities'); writeText(`+quoted(dir+"/late")+`, 'done'); 1`, writable(dir))
	if text := read(t, dir+"/late"); text != "done" || res.Stats.Operations != 1 {
		t.Errorf("file %q, stats %+v", text, res.Stats)
	}
	_, e := fails(t, supervisor.ErrDenied, `const { writeText } = await import('realm:capabilities'); writeText('/etc/nothing', 'x'); 1`, writable(dir))
	if e.Capability != "filesystem.write" {
		t.Errorf("%+v", e)
	}
}

func TestTimeZoneLocaleAndTierFollowTheGrants(t *testing.T) {
	t.Parallel()
	source := `[new Date(0).getHours(), new Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString(), typeof WebAssembly]`
	yields(t, `[0,"UTC","1,234.5","object"]`, source)
	off := false
	yields(t, `[9,"Asia/Tokyo","1.234,5","undefined"]`, source, granted(grants.Grants{Engine: grants.Engine{JIT: &off, TimeZone: "Asia/Tokyo", Locale: "de-DE"}}))
}
