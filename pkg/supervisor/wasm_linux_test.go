package supervisor_test

import (
	"path/filepath"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// emptyModule is the smallest binary: magic and version.
const emptyModule = "\x00asm\x01\x00\x00\x00"

// loopModule exports spin, which never returns: (func (export "spin") (loop (br 0))).
const loopModule = emptyModule + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x08\x01\x04spin\x00\x00\x0a\x09\x01\x07\x00\x03\x40\x0c\x00\x0b\x0b"

// trapModule exports trap: (func (export "trap") unreachable).
const trapModule = emptyModule + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x08\x01\x04trap\x00\x00\x0a\x05\x01\x03\x00\x00\x0b"

// wasm grants binaries with their bindings, in this order.
func wasm(t testing.TB, named ...[3]string) change {
	t.Helper()
	dir := t.TempDir()
	var g grants.Grants
	for _, n := range named {
		g.Wasm = append(g.Wasm, grants.Wasm{
			Name:          n[0],
			WasmPath:      write(t, filepath.Join(dir, n[0]+".wasm"), n[1]),
			JSBindingPath: write(t, filepath.Join(dir, n[0]+".js"), n[2]),
		})
	}
	return granted(g)
}

func TestABindingRunsFirstAndDefinesWhatTheUserSees(t *testing.T) {
	t.Parallel()
	empty := func(binding string) change { return wasm(t, [3]string{"calc", emptyModule, binding}) }
	for _, c := range []struct{ binding, source, want string }{
		{`globalThis.calc = { bytes: binary.byteLength, name }`, `calc`, `{"bytes":8,"name":"calc"}`},
		{`globalThis.calc = [binary instanceof ArrayBuffer, Object.getPrototypeOf(binary) === ArrayBuffer.prototype, WebAssembly.validate(binary)]`, `calc`, `[true,true,true]`},
		{`const { instance } = await WebAssembly.instantiate(binary); globalThis.ready = instance instanceof WebAssembly.Instance`, `ready`, `true`},
		{`await new Promise(f => setTimeout(f, 5)); globalThis.late = 'waited for'`, `export default late`, `"waited for"`},
		{`let hidden = 1; var alsoHidden = 2; globalThis.shown = 3`, `[typeof hidden, typeof alsoHidden, shown, typeof binary, typeof name]`, `["undefined","undefined",3,"undefined","undefined"]`},
		{`new Uint8Array(binary)[0] = 255; globalThis.own = true`, `own`, `true`},
		{`globalThis.kept = binary`, `new Uint8Array(kept).join()`, `"0,97,115,109,1,0,0,0"`},
		{`globalThis.hasInput = typeof input`, `[hasInput, input.n]`, `["object",1]`},
		{`console.log('from the binding')`, `1`, `1`},
	} {
		changes := []change{empty(c.binding)}
		if c.want == `["object",1]` {
			changes = append(changes, input(map[string]int{"n": 1}))
		}
		yields(t, c.want, c.source, changes...)
	}
	// What one run does to its copy, no other sees.
	spoil := empty(`globalThis.first = new Uint8Array(binary)[0]; new Uint8Array(binary).fill(9)`)
	for range 2 {
		yields(t, `0`, `first`, spoil)
	}
	yields(t, `["a","ab"]`, `seen`, wasm(t,
		[3]string{"a", emptyModule, `globalThis.seen = ['a']`}, [3]string{"b", emptyModule, `seen.push(seen[0] + name)`}))
}

func TestABindingThatFailsFailsTheRunUnderItsName(t *testing.T) {
	t.Parallel()
	ran := `console.log('ran'); 1`
	for _, c := range []struct {
		binding string
		code    error
		stack   string
	}{
		{"\n\nthrow new RangeError('no')", supervisor.ErrRuntime, "calc:3:7"},
		{"\nawait WebAssembly.instantiate(new Uint8Array(3))", supervisor.ErrRuntime, "CompileError"},
		{"const x = ;", supervisor.ErrValidation, "SyntaxError"},
		{"await new Promise(() => {})", supervisor.ErrDeadlock, ""},
		{"import x from 'y'", supervisor.ErrValidation, ""},
	} {
		res, e := fails(t, c.code, ran, wasm(t, [3]string{"calc", emptyModule, c.binding}), func(r *supervisor.Request) { r.Limits.WallClockMs = 400 })
		contains(t, e.Stack, c.stack)
		if len(res.Logs) > 0 || e.Line != 0 {
			t.Errorf("%q: the program ran, or is blamed: %+v at line %d", c.binding, res.Logs, e.Line)
		}
	}
	res, e := interrupted(t, ran, wasm(t, [3]string{"calc", emptyModule, "for (;;);"}), limited(supervisor.Limits{WallClockMs: 400}))
	contains(t, e.Stack, "calc:1")
	if len(res.Logs) > 0 || e.Line != 0 {
		t.Errorf("the program ran, or is blamed: %+v at line %d", res.Logs, e.Line)
	}
}

func TestThePromiseFormsOfWebAssemblySettle(t *testing.T) {
	t.Parallel()
	const bytes = `const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]); `
	for _, c := range []struct{ source, want string }{
		{`const m = await WebAssembly.compile(bytes); m instanceof WebAssembly.Module`, `true`},
		{`Object.keys(await WebAssembly.instantiate(bytes, {}))`, `["module","instance"]`},
		{`const i = await WebAssembly.instantiate(new WebAssembly.Module(bytes)); i instanceof WebAssembly.Instance`, `true`},
		{`[WebAssembly.validate(bytes), WebAssembly.validate(new Uint8Array(4))]`, `[true,false]`},
		{`const all = await Promise.all(Array.from({length: 20}, () => WebAssembly.compile(bytes))); all.length`, `20`},
		{`WebAssembly.compile(new Uint8Array(3)).catch(e => e.name)`, `"CompileError"`},
		{`WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 2, 7, 1, 1, 97, 1, 98, 3, 127, 0]), {}).catch(e => e.constructor.name)`, `"CompileError"`},
		{`WebAssembly.compile(bytes).then(() => 'nobody awaited it')`, `"nobody awaited it"`},
		{`let done = 0; WebAssembly.compile(bytes).then(() => done++); await new Promise(f => setTimeout(f, 50)); done`, `1`},
		{`[typeof WebAssembly.compileStreaming, typeof WebAssembly.instantiateStreaming]`, `["undefined","undefined"]`},
	} {
		yields(t, c.want, bytes+c.source)
	}
}

func TestWebAssemblyIsHeldToTheRunsLimits(t *testing.T) {
	t.Parallel()
	small := limited(supervisor.Limits{MemoryMb: 64, RealmMemoryMb: 256})
	fails(t, supervisor.ErrOOM, `
		const held = [];
		for (;;) { const m = new WebAssembly.Memory({ initial: 256 }); new Uint8Array(m.buffer).fill(1); held.push(m) }`, small)
	fails(t, supervisor.ErrOOM, `const m = new WebAssembly.Memory({ initial: 1 }); for (;;) { m.grow(160); new Uint8Array(m.buffer).fill(1) }`, small)

	loop := wasm(t, [3]string{"loop", loopModule, `globalThis.spin = (await WebAssembly.instantiate(binary)).instance.exports.spin`})
	_, e := interrupted(t, "\nspin()", loop, func(r *supervisor.Request) { r.Limits.WallClockMs = 300 })
	if e.Line != 2 {
		t.Errorf("line %d\n%s", e.Line, e.Stack)
	}
	trap := wasm(t, [3]string{"trap", trapModule, `globalThis.trap = (await WebAssembly.instantiate(binary)).instance.exports.trap`})
	_, e = fails(t, supervisor.ErrRuntime, "\n\n  trap()", trap)
	if e.Name != "RuntimeError" || e.Message != "unreachable" || e.Line != 3 || e.Column != 3 {
		t.Errorf("%s: %s at %d:%d\n%s", e.Name, e.Message, e.Line, e.Column, e.Stack)
	}
}

func TestWasmGrantsAreReadBeforeTheRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binding := write(t, dir+"/calc.js", "")
	_, e := fails(t, supervisor.ErrInvalid, `1`, granted(grants.Grants{Wasm: []grants.Wasm{{Name: "calc", WasmPath: dir + "/none.wasm", JSBindingPath: binding}}}))
	contains(t, e.Message, "calc", "none.wasm")
	off := false
	_, e = fails(t, supervisor.ErrInvalid, `1`, granted(grants.Grants{
		Engine: grants.Engine{JIT: &off}, Wasm: []grants.Wasm{{Name: "calc", WasmPath: write(t, dir+"/calc.wasm", emptyModule), JSBindingPath: binding}},
	}))
	contains(t, e.Message, "calc", "jit")
}
