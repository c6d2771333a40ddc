package supervisor_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/supervisor"
)

func TestBadSourcesAreRefusedWithAPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		want         error
		line         int
	}{
		{"invalid UTF-8", "const a = 1;\nconst b = '\xff';", supervisor.ErrValidation, 2},
		{"a lone continuation byte", "\x80", supervisor.ErrValidation, 1},
		{"a NUL byte in code", "const a = 1;\n\x00 a", supervisor.ErrValidation, 2},
		{"UTF-16", "\xff\xfe1\x00", supervisor.ErrValidation, 1},
		{"an unfinished string", "'abc", supervisor.ErrValidation, 1},
		{"an unfinished comment", "1;\n/* abc", supervisor.ErrValidation, 2},
		{"HTML", "<!DOCTYPE html>\n<p>hello</p>", supervisor.ErrValidation, 1},
		{"Python", "def f(x):\n    return x", supervisor.ErrValidation, 1},
		{"a code fence", "```js\n1\n```", supervisor.ErrRuntime, 1},
	} {
		_, err := run(t, c.source)
		e := supervisor.AsError(err)
		if err == nil || e.Code != supervisor.CodeValidation && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if e.Line != c.line || e.Code == supervisor.CodeValidation && e.Phase != "compile" {
			t.Errorf("%s: line %d, phase %s: %s", c.name, e.Line, e.Phase, e.Message)
		}
	}
}

func TestOddButValidSourcesRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, want string }{
		{"empty", "", `{"$type":"undefined"}`},
		{"white space", " \r\n\t\u2028", `{"$type":"undefined"}`},
		{"a byte order mark", "\ufeff1 + 1", `2`},
		{"a byte order mark before an import", "\ufeffimport 'realm:capabilities'; export default 3", `3`},
		{"CRLF", "const a = 1;\r\nconst b = 2;\r\na + b\r\n", `3`},
		{"CR alone", "const a = 1;\rconst b = 2;\ra + b", `3`},
		{"a NUL byte in a string", "'a\x00b'", `"a\u0000b"`},
		{"a NUL byte in a comment", "// a\x00b\n4", `4`},
		{"a shebang", "#!/usr/bin/env deno\n5", `5`},
		{"astral characters", "'😀'.length", `2`},
		{"a source map comment", "6\n//# sourceMappingURL=data:application/json,{}", `6`},
		{"use strict", "'use strict'; (function () { return this === undefined })()", `true`},
	} {
		res, err := run(t, c.source)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if text, _ := res.ValueJSON(); string(text) != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

func TestTheSizeOfASourceIsLimited(t *testing.T) {
	t.Parallel()
	huge := "1;" + strings.Repeat(" ", 10<<20)
	_, e := fails(t, supervisor.ErrValidation, huge)
	contains(t, e.Message, "maxCodeBytes", "524288")
	succeed(t, huge, limited(supervisor.Limits{MaxCodeBytes: 16 << 20}))
	succeed(t, strings.Repeat(" ", 524_287)+"1")
	fails(t, supervisor.ErrValidation, strings.Repeat(" ", 524_288)+"1")
	statements := strings.Repeat("x = x * 3 % 1000;\n", 2<<20/18)
	succeed(t, "let x: number = 1;\n"+statements, limited(supervisor.Limits{MaxCodeBytes: 16 << 20, MemoryMb: 1000}))
}

func TestWrongGrantsAreInvalidAndNothingRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir+"/file", "x")
	if err := os.Symlink(dir+"/none", dir+"/dangling"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		g    grants.Grants
		says string
	}{
		{"relative root", grants.Grants{Filesystem: grants.Filesystem{Read: []string{"data"}}}, "absolute"},
		{"missing root", grants.Grants{Filesystem: grants.Filesystem{Read: []string{dir + "/none"}}}, dir + "/none"},
		{"root that is a file", grants.Grants{Filesystem: grants.Filesystem{Write: []string{file}}}, file},
		{"dangling root", grants.Grants{Filesystem: grants.Filesystem{Write: []string{dir + "/dangling"}}}, "dangling"},
		{"empty root", grants.Grants{Filesystem: grants.Filesystem{Read: []string{""}}}, "filesystem.read"},
		{"root with NUL", grants.Grants{Filesystem: grants.Filesystem{Read: []string{"/tmp\x00/x"}}}, "filesystem.read"},
		{"origin with path", grants.Grants{Network: grants.Network{Origins: []string{"https://example.com/x"}}}, "example.com"},
		{"origin without scheme", grants.Grants{Network: grants.Network{Origins: []string{"example.com"}}}, "example.com"},
		{"injection without secret", grants.Grants{Network: grants.Network{Origins: []string{"https://a.example"}, Inject: []grants.Injection{{Origin: "https://a.example", Header: "A", Secret: "NONE"}}}}, "NONE"},
		{"relative command", grants.Grants{Subprocess: grants.Subprocess{Commands: []string{"sh"}}}, "absolute"},
		{"missing command", grants.Grants{Subprocess: grants.Subprocess{Commands: []string{"/bin/none-of-this-name"}}}, "none-of-this-name"},
		{"missing secret", grants.Grants{Secrets: map[string]grants.Secret{"S": {FromEnv: "E2E_NOT_SET"}}}, "E2E_NOT_SET"},
		{"missing secret file", grants.Grants{Secrets: map[string]grants.Secret{"S": {FromFile: dir + "/none"}}}, "none"},
		{"negative limit", grants.Grants{Resources: grants.Resources{MemoryMb: -1}}, "memoryMb"},
		{"limit above its maximum", grants.Grants{Resources: grants.Resources{WallClockMs: 86_400_001}}, "86400000"},
	} {
		res, err := run(t, `console.log('ran')`, granted(c.g))
		if !errors.Is(err, supervisor.ErrInvalid) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		contains(t, err.Error(), c.says)
		if len(res.Logs) != 0 || res.Receipt != nil {
			t.Errorf("%s: something ran", c.name)
		}
	}
	_, e := fails(t, supervisor.ErrInvalid, `1`, limited(supervisor.Limits{MaxOperations: -5}))
	contains(t, e.Message, "maxOperations", "1000000")
	_, e = fails(t, supervisor.ErrInvalid, `1`, args(make(chan int)))
	contains(t, e.Message, "argument")
	fails(t, supervisor.ErrInvalid, `1`, input(func() {}))
	res, err := supervisor.Run(`1`, grants.Grants{}, supervisor.WithTools(map[string]supervisor.Tool{"ask": nil}))
	contains(t, failed(t, supervisor.ErrInvalid, err).Message, "ask has no function")
	var v any
	if err := res.Decode(&v); !errors.Is(err, supervisor.ErrInvalid) {
		t.Errorf("the value of a failed run: %v", err)
	}
	var none context.Context
	_, err = supervisor.RunContext(none, `1`, grants.Grants{})
	failed(t, supervisor.ErrInvalid, err)
}

func TestDocumentsAreReadStrictly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ document, says string }{
		{"filesystem: {reed: [/tmp]}", "reed"},
		{"files: {}", "files"},
		{"resources: {memoryMb: 0}", "memoryMb"},
		{"resources: {wallClockMs: -1}", "wallClockMs"},
		{"resources: {maxOperations: 1.5}", "maxOperations"},
		{"resources: {maxPids: 5000}", "4096"},
		{"filesystem: {read: [relative]}", "relative"},
		{`{"filesystem": {"read": ["/tmp"], "read": ["/etc"]}}`, "read"},
		{"filesystem: [", ""},
		{"", ""},
	} {
		g, err := grants.Load(strings.NewReader(c.document))
		if err == nil {
			err = g.Validate()
		}
		if err == nil && c.says != "" {
			t.Errorf("%q is accepted", c.document)
		} else if c.says != "" {
			contains(t, err.Error(), c.says)
		}
	}
	if _, err := policy.Load(strings.NewReader("version: 1\nceilingz: {}")); err == nil {
		t.Error("an unknown key of a policy is accepted")
	}
}

func TestAnUnusableRealmBinaryIsToldBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := write(t, dir+"/plain", "#!/bin/sh\nexit 0\n")
	script := write(t, dir+"/script", "#!/bin/sh\nexit 0\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, says string }{
		{dir + "/none", "not found"},
		{dir, "not a regular file"},
		{plain, "execut"},
		{script, "not a realm binary"},
		{"/bin/true", "not a realm binary"},
	} {
		res, err := supervisor.Run(`1`, grants.Grants{}, supervisor.WithRealmPath(c.path))
		e := failed(t, supervisor.ErrInvalid, err)
		contains(t, e.Message, c.says)
		if e.Code.ExitStatus() != 2 || res == nil || res.Receipt != nil {
			t.Errorf("%s: exit status %d, result %+v", c.path, e.Code.ExitStatus(), res)
		}
	}
	t.Run("found by the environment", func(t *testing.T) {
		path, err := supervisor.FindRealm("")
		if err != nil || path != realmPath {
			t.Errorf("%q, %v", path, err)
		}
	})
}

func TestWhatCannotBeRecordedDoesNotHappen(t *testing.T) {
	t.Parallel()
	for _, failAt := range []int{1, 2, 3, 4} {
		dir := t.TempDir()
		n := 0
		sink := audit.NewFunc(func(audit.Record) error {
			if n++; n >= failAt {
				return syscall.ENOSPC
			}
			return nil
		})
		s := supervise(t, supervisor.Config{Audit: sink})
		res, err := runIn(t, s, `console.log('ran'); const { writeText } = await import('realm:capabilities'); await writeText(`+quoted(dir+"/f")+`, 'x').catch(() => {}); 1`, writable(dir))
		if e := failed(t, supervisor.ErrInternal, err); !errors.Is(err, syscall.ENOSPC) || e.Code.ExitStatus() != 70 || res.Value != supervisor.Undefined {
			t.Errorf("fails at %d: %v, %v", failAt, err, res.Value)
		}
		// The records are: the run is allowed, the write is allowed, the write was made, the run ended.
		if _, err := os.Stat(dir + "/f"); (err == nil) != (failAt > 2) {
			t.Errorf("fails at %d: written %v", failAt, err == nil)
		}
		if ran := len(res.Logs) > 0; ran != (failAt > 1) {
			t.Errorf("fails at %d: ran %v", failAt, ran)
		}
	}
}

func TestAFailedRunWhoseEndCannotBeRecordedSaysBoth(t *testing.T) {
	t.Parallel()
	n := 0
	s := supervise(t, supervisor.Config{Audit: audit.NewFunc(func(audit.Record) error {
		if n++; n > 1 {
			return syscall.ENOSPC
		}
		return nil
	})})
	_, err := runIn(t, s, `throw new Error('mine')`)
	failed(t, supervisor.ErrRuntime, err)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	contains(t, err.Error(), "mine", "could not be recorded")
}

func TestAFullDiskUnderTheAuditLogEndsTheRun(t *testing.T) {
	if os.Geteuid() == 0 { // without root only /dev/full is left
		dir := t.TempDir()
		if err := unix.Mount("full", dir, "tmpfs", 0, "size=8k"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := unix.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		path := dir + "/audit.log"
		sink, err := audit.OpenFile(path, audit.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = sink.Close() })
		s := supervise(t, supervisor.Config{Audit: sink})
		_, err = runIn(t, s, `const { environment } = await import('realm:capabilities'); for (;;) await environment('NONE').catch(() => {})`, limited(supervisor.Limits{MaxOperations: 1000}))
		failed(t, supervisor.ErrInternal, err)
		contains(t, err.Error(), "audit")
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		if _, err := audit.Verify(f); err != nil {
			t.Errorf("the log is not intact: %v", err)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = full.Close() })
	s := supervise(t, supervisor.Config{Audit: audit.NewWriter(full)})
	res, err := runIn(t, s, `console.log('ran')`)
	failed(t, supervisor.ErrInternal, err)
	if len(res.Logs) != 0 || res.Receipt != nil {
		t.Error("something ran without a record")
	}
}

func TestTheAuditLogTellsTheWholeRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := dir + "/audit.log"
	sink, err := audit.OpenFile(path, audit.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sink.Close() })
	data := t.TempDir()
	write(t, data+"/in", "content-of-the-file")
	s := supervise(t, supervisor.Config{Audit: sink})
	res, err := runIn(t, s, capabilities+`export default async d => {
		await readText(d + '/in'); await readText('/etc/passwd').catch(() => {}); await readText(d + '/none').catch(() => {}); await writeText(d + '/out', 'content-of-mine');
	}`, readWrite(data), args(data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range res.Audit {
		got = append(got, string(r.Outcome)+" "+r.Capability)
		if r.Run != res.RequestID {
			t.Errorf("run %q", r.Run)
		}
	}
	want := "allowed execute,allowed filesystem.read,used filesystem.read,denied filesystem.read,allowed filesystem.read,error filesystem.read,allowed filesystem.write,used filesystem.write,used execute"
	if strings.Join(got, ",") != want {
		t.Errorf("records\n%s\nwant\n%s", strings.Join(got, ","), want)
	}
	text := read(t, path)
	if strings.Contains(text, "content-of") || strings.Count(text, "\n") != len(got) {
		t.Errorf("log %s", text)
	}
	quoting, err := runIn(t, s, capabilities+`export default async d => JSON.parse(await readText(d + '/in'))`, readWrite(data), args(data))
	contains(t, failed(t, supervisor.ErrRuntime, err).Message, "content-of") // V8 quotes what it cannot parse
	if last := quoting.Audit[len(quoting.Audit)-1]; last.Outcome != audit.Error || last.Reason != "RUNTIME" {
		t.Errorf("the last record is %+v", last)
	}
	if last := res.Audit[len(res.Audit)-1].Hash; last != res.Receipt.AuditHead {
		t.Errorf("head %s, last %s", res.Receipt.AuditHead, last)
	}
	if _, err := audit.Verify(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
	if _, err := audit.Verify(bytes.NewReader(bytes.Replace([]byte(text), []byte("/etc/passwd"), []byte("/etc/passwx"), 1))); err == nil {
		t.Error("a changed log verifies")
	}
	contains(t, text, `"reason":"source sha256 `+res.Receipt.SourceSHA256)
}

func TestEveryCodeHasItsExitStatus(t *testing.T) {
	t.Parallel()
	for code, status := range map[supervisor.Code]int{"": 0, supervisor.CodeRuntime: 1, supervisor.CodeInvalid: 2, supervisor.CodeValidation: 3, supervisor.CodeDenied: 4, supervisor.CodeTimeout: 5,
		supervisor.CodeOOM: 6, supervisor.CodeDeadlock: 7, supervisor.CodeCrashed: 8, supervisor.CodeAborted: 9, supervisor.CodeCapacity: 10, supervisor.CodeUnenforceable: 11, supervisor.CodeInternal: 70} {
		if code.ExitStatus() != status {
			t.Errorf("%s: %d", code, code.ExitStatus())
		}
	}
}
