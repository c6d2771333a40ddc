package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

func encoded(v any) []byte {
	b, err := value.Encode(v)
	if err != nil {
		panic(err)
	}
	return b
}

func text(s string) *rpc.Reply { return &rpc.Reply{OK: true, Value: encoded(s)} }

func refusing(e rpc.ReplyError) func(*rpc.Execute, *supervisor, *v8.Realm) {
	return answering(&rpc.Reply{Error: e})
}

func answering(r *rpc.Reply) func(*rpc.Execute, *supervisor, *v8.Realm) {
	return func(_ *rpc.Execute, s *supervisor, _ *v8.Realm) {
		s.answer = func(rpc.Frame) *rpc.Reply { return r }
	}
}

// Each export sends the message that package rpc defines for it, field by field.
func TestCallsSendTheirFields(t *testing.T) {
	for _, c := range []struct {
		call string
		want rpc.Message
	}{
		{"environment('A')", &rpc.Environment{Name: "A"}},
		{"secret('é')", &rpc.Secret{Name: "é"}},
		{"readText('/a')", &rpc.FilesystemRead{Path: "/a", Length: -1, Text: true}},
		{"readText('/a', {offset: 5, length: 2 ** 40})", &rpc.FilesystemRead{Path: "/a", Offset: 5, Length: 1 << 40, Text: true}},
		{"readBytes('/a')", &rpc.FilesystemRead{Path: "/a", Length: -1}},
		{"list('/')", &rpc.FilesystemList{Path: "/"}},
		{"stat('/' + 'x'.repeat(300))", &rpc.FilesystemStat{Path: "/" + strings.Repeat("x", 300)}},
		{"writeText('/a', 'hé')", &rpc.FilesystemWrite{Path: "/a", Size: 3, Data: []byte("hé")}},
		{"appendText('/a', '')", &rpc.FilesystemWrite{Path: "/a", Append: true, Data: []byte{}}},
		{"writeBytes('/a', new Uint16Array([1, 2]).subarray(1))", &rpc.FilesystemWrite{Path: "/a", Size: 2, Data: []byte{2, 0}}},
		{"writeText('/a', 'x'.repeat(1025))", &rpc.FilesystemWrite{Path: "/a", Size: 1025}},
		{"makeDirectory('/a')", &rpc.FilesystemMakeDirectory{Path: "/a"}},
		{"remove('/a')", &rpc.FilesystemRemove{Path: "/a"}},
		{"fetchText('https://a/', {method: 'post', headers: {A: 'b', C: 1}, body: 'x'})",
			&rpc.NetworkFetch{Method: "POST", URL: "https://a/", Headers: [][2]string{{"A", "b"}, {"C", "1"}}, Size: 1, Body: []byte("x"), Text: true}},
		{"fetch(new URL('https://a/b'))", &rpc.NetworkFetch{Method: "GET", URL: "https://a/b", Headers: [][2]string{}, Body: []byte{}}},
		{"spawn('/bin/x', ['a', 'b'], {stdin: 'y'})", &rpc.SubprocessSpawn{Path: "/bin/x", Args: []string{"a", "b"}, Size: 1, Stdin: []byte("y")}},
		{"spawn('/bin/x')", &rpc.SubprocessSpawn{Path: "/bin/x", Args: []string{}, Stdin: []byte{}}},
		{"request('m', {a: 1})", &rpc.ToolRequest{Method: "m", Size: 4, Params: encoded(value.NewObject(value.Member{Key: "a", Value: 1.0}))}},
		{"request('m', 'x'.repeat(2000))", &rpc.ToolRequest{Method: "m", Size: 2003, Params: rpc.Raw{0xc0}}},
		{"dataProxy.request('m')", &rpc.ToolRequest{Method: "m", Size: 3, Params: encoded(value.Undefined)}},
		{"get_account(7)", &rpc.ToolRequest{Method: "get_account", Size: 1, Params: encoded(7.0)}},
	} {
		source := "import * as c from 'realm:capabilities';\nexport default async () => { try { await c." + c.call + " } catch {} }"
		if strings.HasPrefix(c.call, "get_") || strings.HasPrefix(c.call, "dataProxy") {
			source = "await " + c.call
		}
		var got rpc.Frame
		runSource(t, source, func(x *rpc.Execute, s *supervisor, _ *v8.Realm) {
			x.Tools = []string{"get_account", "not-a-name"}
			s.answer = func(f rpc.Frame) *rpc.Reply {
				got = f
				return text("")
			}
		})
		if got.Op != c.want.Op() {
			t.Errorf("%s: sent %v", c.call, got.Op)
			continue
		}
		fresh := freshMessage(got.Op)
		if err := got.Decode(fresh); err != nil {
			t.Errorf("%s: %v", c.call, err)
		} else if g, w := fmt.Sprintf("%+v", fresh), fmt.Sprintf("%+v", c.want); g != w {
			t.Errorf("%s:\n got %s\nwant %s", c.call, g, w)
		}
	}
}

func freshMessage(op rpc.Op) rpc.Message {
	for _, m := range []rpc.Message{
		&rpc.Environment{}, &rpc.Secret{}, &rpc.FilesystemRead{}, &rpc.FilesystemList{}, &rpc.FilesystemStat{}, &rpc.FilesystemWrite{},
		&rpc.FilesystemMakeDirectory{}, &rpc.FilesystemRemove{}, &rpc.NetworkFetch{}, &rpc.SubprocessSpawn{}, &rpc.ToolRequest{},
	} {
		if m.Op() == op {
			return m
		}
	}
	return nil
}

// Nothing that the supervisor's strict decoder refuses is ever sent: a guest's mistake is the guest's TypeError.
func TestWrongArgumentsAreTypeErrorsAndNotSent(t *testing.T) {
	for _, call := range []string{
		"environment()", "environment(1)", "environment({toString() { return 'A' }})", "environment('\\ud800')",
		"readText('/a', {offset: -1})", "readText('/a', {offset: 1.5})", "readText('/a', {length: 'x'})", "readText('/a', 5)",
		"writeText('/a', 5)", "writeText('/a')", "writeBytes('/a', 'x')", "writeBytes('/a', [1])",
		"spawn('/x', [1])", "spawn('/x', 5)", "spawn('/x', [], {stdin: 5})",
		"fetchText('https://a/', {method: 5})", "fetchText('https://a/', {body: {a: 1}})",
		"request(5)", "request('m', () => {})", "request('m', Symbol('x'))",
	} {
		o := runSource(t, "import * as c from 'realm:capabilities';\nexport default async () => { try { await c."+call+" } catch (e) { return e instanceof TypeError } }", answering(text("")))
		if o.value != "true" || len(o.calls) != 0 {
			t.Errorf("%s: %s, %d sent, %+v", call, o.value, len(o.calls), o.failure)
		}
	}
}

// What means something elsewhere either means it here or is refused: nothing that a program relies on is passed over.
func TestOptionsAreTakenOrRefused(t *testing.T) {
	failed := refusing(rpc.ReplyError{Kind: rpc.KindOperation, Code: "ECONNREFUSED", Message: "no answer"})
	for _, c := range []struct {
		call, want string
		sent       int
	}{
		{"fetch('https://a/', {redirect: 'follow', signal: null})", "SandboxOperationError: no answer", 1},
		{"fetch('https://a/', {redirect: 'manual'})", "TypeError: redirect can only be 'follow'", 0},
		{"fetchText('https://a/', {signal: AbortSignal.abort('enough')})", "enough", 0},
		{"fetch('https://a/', {signal: AbortSignal.abort()})", "AbortError: This operation was aborted", 0},
		{"fetch('https://a/', {signal: {aborted: true}})", "TypeError: signal must be an AbortSignal", 0},
		{"fetch('https://a/', {signal: ended.signal}), ended.abort('enough'); await tried", "enough", 1},
		{"spawn('/x', [], {signal: ended.signal}), ended.abort('enough'); await tried", "enough", 1},
		{"fetch('https://a/', {signal: ended.signal})", "SandboxOperationError: no answer", 1},
		{"fetch('https://a/', {body: {a: 1}})", "TypeError: body must be a string or a Uint8Array", 0},
		{"spawn('/x', [], {stdin: 5})", "TypeError: stdin must be a string or a Uint8Array", 0},
		{"writeBytes('/x', 'y')", "TypeError: content must be a Uint8Array", 0},
		{"fetch('https://a/', {headers: [{name: 'A', value: 'b'}]})", "TypeError: headers must be", 0},
		{"fetch('https://a/', {headers: [['A']]})", "TypeError: headers must be", 0},
		{"fetch('https://a/', {headers: new Map([['A', 'b']])})", "SandboxOperationError: no answer", 1},
		{"spawn('/x', [], {cwd: '/tmp'})", "TypeError: spawn takes no cwd", 0},
		{"spawn('/x', [], {env: {A: 'b'}})", "TypeError: spawn takes no env", 0},
		{"spawn('/x', [], {shell: true})", "TypeError: spawn takes no shell", 0},
		{"spawn('/x', [], {timeout: 10})", "TypeError: spawn takes no timeout", 0},
		{"spawn('/x', [], {shell: false, encoding: 'utf8'})", "SandboxOperationError: no answer", 1},
	} {
		call, rest, _ := strings.Cut(c.call, "), ")
		if rest != "" {
			call += ")"
		}
		o := runSource(t, "import * as c from 'realm:capabilities';\nconst ended = new AbortController();\nexport default async () => { try { const tried = c."+call+"; "+rest+
			"; await tried } catch (e) { return String(e) } }", failed)
		if o.failure != nil || !strings.HasPrefix(strings.Trim(o.value, `"`), c.want) || len(o.calls) != c.sent {
			t.Errorf("%s: %s, %d sent, %+v", c.call, o.value, len(o.calls), o.failure)
		}
	}
}

// One signal for all of a program's calls is the usual way.
func TestSignalsKeepNoAnswers(t *testing.T) {
	answer := value.NewObject(value.Member{Key: "status", Value: 200.0}, value.Member{Key: "headers", Value: value.NewObject()},
		value.Member{Key: "body", Value: strings.Repeat("x", 1<<20)})
	o := runSource(t, "import { fetchText } from 'realm:capabilities';\nconst { signal } = new AbortController();\n"+
		"for (let i = 0; i < 80; i++) await fetchText('https://a/', { signal });\nexport default 'ok'", answering(&rpc.Reply{OK: true, Value: encoded(answer)}))
	if o.value != `"ok"` {
		t.Errorf("%s %+v", o.value, o.failure)
	}
}

// A program may break its arrays before it imports anything, and the methods of its maps and strings after that.
func TestCallsOutliveWhatIsPatched(t *testing.T) {
	const arrays = "Array.prototype[Symbol.iterator] = Array.prototype.map = Array.from = null;\n"
	const others = "Map.prototype.get = Map.prototype.set = String.prototype.replace = String.prototype.toLowerCase = null;\n"
	const calls = "const r = await c.fetch('https://a/', { headers: { A: 'b' } }), list = [r.headers.get('X'), await r.text()];\n" +
		"await c.fetch('https://a/', { method: 'put', headers: [['A', 'b']] });\nawait c.spawn('/x', ['y']).catch(() => {});\nawait c.readText('/a');\nlist"
	answer := value.NewObject(
		value.Member{Key: "url", Value: "https://a/"}, value.Member{Key: "status", Value: 200.0}, value.Member{Key: "statusText", Value: "OK"},
		value.Member{Key: "redirected", Value: false}, value.Member{Key: "headers", Value: value.NewObject(value.Member{Key: "X", Value: "y"})},
		value.Member{Key: "body", Value: []byte("\xef\xbb\xbfz")}, value.Member{Key: "stdout", Value: []byte{}}, value.Member{Key: "stderr", Value: []byte{}})
	for _, source := range []string{
		arrays + "const c = await import('realm:capabilities');\n" + others + calls,
		"const c = await import('realm:capabilities');\n" + arrays + others + calls,
	} {
		o := runSource(t, source, answering(&rpc.Reply{OK: true, Value: encoded(answer)}))
		if o.value != `["y","z"]` || len(o.calls) < 4 {
			t.Errorf("%s\n%s, %d sent, %+v", source, o.value, len(o.calls), o.failure)
		}
	}
}

func TestRefusalsAreErrorsTheGuestCanCatch(t *testing.T) {
	denied := rpc.ReplyError{Kind: rpc.KindDenied, Message: "no", Capability: "filesystem.read", Target: "/a", Hint: "grant it"}
	o := runSource(t, `
import { readText, SandboxDeniedError } from 'realm:capabilities';
export default async () => {
  try { await readText('/a') } catch (e) {
    return [e.name, e instanceof Error, e instanceof SandboxDeniedError, e.message, e.capability, e.target, e.hint, 'code' in e, Object.keys(e), String(e)];
  }
}`, refusing(denied))
	if want := `["SandboxDeniedError",true,true,"no","filesystem.read","/a","grant it",false,["capability","target","hint"],"SandboxDeniedError: no"]`; o.value != want {
		t.Errorf("%s %+v", o.value, o.failure)
	}
	o = runSource(t, "import { stat } from 'realm:capabilities';\nexport default () => stat('/a').catch((e) => [e.name, e.code, e.capability])",
		refusing(rpc.ReplyError{Kind: rpc.KindOperation, Code: "ENOENT", Message: "gone", Capability: "filesystem.read", Target: "/a"}))
	if want := `["SandboxOperationError","ENOENT","filesystem.read"]`; o.value != want {
		t.Errorf("%s %+v", o.value, o.failure)
	}
}

func TestUncaughtRefusalsKeepTheirFieldsAndPlace(t *testing.T) {
	denied := rpc.ReplyError{Kind: rpc.KindDenied, Message: "no", Capability: "filesystem.read", Target: "/a", Hint: "grant it"}
	source := "import { readText } from 'realm:capabilities';\nasync function load(p: string) {\n  return await readText(p);\n}\nexport default async () => {\n  const t = await load('/a');\n  return t;\n}"
	f := runSource(t, source, refusing(denied)).failure
	if f == nil || f.Code != "DENIED" || f.Capability != "filesystem.read" || f.Target != "/a" || f.Hint != "grant it" {
		t.Fatalf("%+v", f)
	}
	if f.Line != 3 || f.Column != 10 || !strings.Contains(f.Stack, "at async load (main.ts:3:10)") || !strings.Contains(f.Stack, "at async default (main.ts:6:13)") {
		t.Errorf("%d:%d\n%s", f.Line, f.Column, f.Stack)
	}
	for _, c := range []struct{ name, source, code string }{
		{"failed operations are no denials", source, "RUNTIME"},
		{"a forged denial", "const e = new Error('x'); e.name = 'SandboxDeniedError'; e.capability = 'filesystem.read'; throw e", "RUNTIME"},
	} {
		f := runSource(t, c.source, refusing(rpc.ReplyError{Kind: rpc.KindOperation, Code: "ENOENT", Message: "gone"})).failure
		if f == nil || f.Code != c.code {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestResponsesReadAsThePlatformsDo(t *testing.T) {
	answer := value.NewObject(
		value.Member{Key: "url", Value: "https://a/"}, value.Member{Key: "status", Value: 200.0}, value.Member{Key: "statusText", Value: "OK"},
		value.Member{Key: "redirected", Value: false},
		value.Member{Key: "headers", Value: value.NewObject(value.Member{Key: "content-type", Value: "application/json"})},
		value.Member{Key: "body", Value: []byte("\xef\xbb\xbf{\"a\":[1,2]}")})
	o := runSource(t, `
import { fetch } from 'realm:capabilities';
export default async () => {
  const r = await fetch('https://a/'), s = await fetch('https://a/'), u = await fetch('https://a/');
  const twice = await r.json().then(() => r.text()).catch((e) => e.name);
  return [r.status, r.ok, r.headers.get('Content-Type'), [...r.headers].length, twice, await s.json(), (await u.arrayBuffer()).byteLength];
}`, answering(&rpc.Reply{OK: true, Value: encoded(answer)}))
	if want := `[200,true,"application/json",1,"TypeError",{"a":[1,2]},14]`; o.value != want {
		t.Errorf("%s %+v", o.value, o.failure)
	}
}

func TestConsoleAndStatusStopAtTheirLimits(t *testing.T) {
	o := runSource(t, "for (let i = 0; i < 50; i++) { console.log(i); reportStatus('s', i) } 'ok'", nil)
	// What is dropped of the status events is told without its text, for the supervisor to count.
	if o.value != `"ok"` || len(o.logs) != 11 || len(o.status) != 50 || !slices.Equal(o.status[:4], []string{"s: 0", "s: 1", "s: 2", ": "}) {
		t.Errorf("%d logs, %q", len(o.logs), o.status)
	}
	if o = runSource(t, "for (let i = 0; i < 20_000; i++) reportStatus('s', i)", nil); len(o.status) != 3+maxDropped {
		t.Errorf("%d status events", len(o.status))
	}
	o = runSource(t, "console.log('é'.repeat(400)); console.log('é'.repeat(400)); console.log('x')", nil)
	if want := []string{"log: " + strings.Repeat("é", 400), "log: " + strings.Repeat("é", 114)}; !slices.Equal(o.logs, want) {
		t.Errorf("%q", o.logs)
	}
}

func TestInputAndArguments(t *testing.T) {
	given := func(input any, args ...any) func(*rpc.Execute, *supervisor, *v8.Realm) {
		return func(x *rpc.Execute, _ *supervisor, _ *v8.Realm) {
			x.Input, x.Args = encoded(input), encoded(append([]any{}, args...))
		}
	}
	deep := value.NewObject(value.Member{Key: "list", Value: []any{value.NewObject(value.Member{Key: "n", Value: 1.0})}})
	for _, c := range []struct{ name, source, want string }{
		{"input comes first", "export default (...all) => all", `[{"list":[{"n":1}]},"a",2]`},
		{"input is a global", "input.list[0].n", "1"},
		{"arguments of a body", "return arguments.length", "3"},
		{"changes throw in strict code", "'use strict'; const no = (f) => { try { f() } catch (e) { return e.name } };\n[no(() => { input.x = 1 }), no(() => { input.list.push(1) }), no(() => { input.list[0].n = 2 }), no(() => { delete input.list }), no(() => { input = 1 }), JSON.stringify(input)]",
			`["TypeError","TypeError","TypeError","TypeError","TypeError","{\"list\":[{\"n\":1}]}"]`},
		{"changes do nothing in sloppy code", "input.x = 1; input.list[0].n = 2; input = 5; JSON.stringify(input)", `"{\"list\":[{\"n\":1}]}"`},
		{"a name of one's own", "const input = 4; input", "4"},
	} {
		o := runSource(t, c.source, given(deep, "a", 2.0))
		if o.value != c.want {
			t.Errorf("%s: %s %+v", c.name, o.value, o.failure)
		}
	}
	if o := runSource(t, "typeof input", nil); o.value != `"undefined"` {
		t.Errorf("without input: %s", o.value)
	}
	if o := runSource(t, "export default (a, b) => [input, a, b]", given(nil, "a")); o.value != `[null,null,"a"]` {
		t.Errorf("a null input: %s %+v", o.value, o.failure)
	}
}
