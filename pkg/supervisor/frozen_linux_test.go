package supervisor_test

import (
	"testing"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

// The article's rule goes all the way down: objects in Maps, causes of errors,
// what occurs twice, and the last of many thousands.
func TestEverythingInTheInputIsFrozen(t *testing.T) {
	t.Parallel()
	leaf := func() *supervisor.Object { return value.NewObject(value.Member{Key: "n", Value: 1.0}) }
	shared := leaf()
	cycle := value.NewObject()
	cycle.Set("self", cycle)
	var many []any
	for range 50_000 {
		many = append(many, leaf())
	}
	in := map[string]any{
		"map": &supervisor.Map{Entries: []supervisor.Entry{{Key: "k", Value: leaf()}, {Key: leaf(), Value: 1.0}}}, "set": &supervisor.Set{Values: []any{leaf()}},
		"date": time.UnixMilli(5), "re": &supervisor.RegExp{Source: "a", Flags: "g"}, "error": &supervisor.GuestError{Name: "Error", Cause: leaf()},
		"shared": []any{shared, shared}, "cycle": cycle, "many": many, "bytes": []byte{1}, "text": "abc",
	}
	yields(t, `[]`, `
		const loose = [];
		const check = (what, v) => { if (typeof v === 'object' && v !== null && !ArrayBuffer.isView(v) && !Object.isFrozen(v)) loose.push(what) };
		for (const [key, v] of Object.entries(input)) check(key, v);
		input.many.forEach((v, i) => check('many ' + i, v));
		check('in a map', input.map.get('k')); check('a key', [...input.map.keys()][1]); check('in a set', [...input.set][0]);
		check('cause', input.error.cause); check('shared', input.shared[1]); check('cycle', input.cycle.self);
		loose`, input(in))
	for _, change := range []string{
		`input.map.set('k', 2)`, `input.map.delete('k')`, `input.map.clear()`, `input.set.add(1)`, `input.set.clear()`, `input.date.setTime(0)`, `input.date.setUTCFullYear(1999)`,
		`input.map.get('k').n = 2`, `[...input.set][0].n = 2`, `input.error.message = 'x'`, `input.error.cause.n = 2`, `input.shared.push(1)`, `input.shared[0].n = 2`,
		`input.many[49_999].n = 2`, `input.text = ''`, `delete input.text`, `input.added = 1`, `Object.setPrototypeOf(input, null)`, `Object.defineProperty(input, 'x', {value: 1})`,
		`input = 1`, `input.many.sort()`, `input.re.lastIndex = 1`,
	} {
		yields(t, `["TypeError",true]`, `'use strict';
			const before = JSON.stringify([...input.map].concat([...input.set], input.date, input.many.length, input.text));
			let name = 'none'; try { `+change+` } catch (e) { name = e.name }
			[name, before === JSON.stringify([...input.map].concat([...input.set], input.date, input.many.length, input.text))]`, input(in))
	}
	// It still is what it is: it can be read, copied and returned.
	yields(t, `{"map":{"$type":"map","value":[["k",{"n":1}],[{"n":1},1]]},"date":{"$type":"date","value":"1970-01-01T00:00:00.005Z"},"copy":3}`,
		`({ map: input.map, date: input.date, copy: new Map(input.map).set('new', 1).size })`, input(in))
	yields(t, `[2,6]`, `const copy = structuredClone(input); copy.map.get('k').n = 2; copy.date.setTime(6); [copy.map.get('k').n, copy.date.getTime()]`, input(in))
	// Arguments are the program's own.
	yields(t, `{"n":2}`, `export default v => { v.n = 2; return v }`, args(map[string]int{"n": 1}))
}
