package audit

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// Covers: T-AUD-03
func TestLineIsCanonical(t *testing.T) {
	const base = `{"seq":1,"timestamp":1700000000000,`
	const tail = `,"prev":"` + Genesis + `"}`
	for claim, c := range map[string]struct {
		record Record
		want   string
	}{
		"absent fields are left out": {
			Record{Capability: "secret", Outcome: Denied},
			`"op":0,"capability":"secret","outcome":"denied"`,
		},
		"every key stands in its place": {
			Record{
				Run: "r1", Op: 7, Capability: "filesystem.read", Target: "/srv/a", Outcome: Error,
				Reason: "ENOENT", Bytes: new(int64(0)), DurationMs: new(int64(12)),
			},
			`"run":"r1","op":7,"capability":"filesystem.read","target":"/srv/a","outcome":"error","reason":"ENOENT","bytes":0,"durationMs":12`,
		},
		"line ends and controls are escaped": {
			Record{Capability: "c", Target: "a\nb\r\x00\x1b[2J\x7f\u0085\u2028\u2029", Outcome: Denied},
			`"op":0,"capability":"c","target":"a\u000ab\u000d\u0000\u001b[2J\u007f\u0085\u2028\u2029","outcome":"denied"`,
		},
		"direction changes and zero-width characters are escaped": {
			Record{Capability: "c", Target: "a\u202eb\u200b\ufeff\U000e0041", Outcome: Denied},
			`"op":0,"capability":"c","target":"a\u202eb\u200b\ufeff\udb40\udc41","outcome":"denied"`,
		},
		"bytes that are not UTF-8 are replaced": {
			Record{Capability: "c", Target: "a\xff\xc3", Outcome: Denied},
			`"op":0,"capability":"c","target":"a\ufffd\ufffd","outcome":"denied"`,
		},
		"a command of a CI runner is no command any more": {
			Record{Capability: "c", Target: "##[error]x", Outcome: Denied},
			`"op":0,"capability":"c","target":"\u0023\u0023[error]x","outcome":"denied"`,
		},
		"printable text and HTML stand for themselves": {
			Record{Capability: "c", Target: `<a href="é\">日本😀&`, Outcome: Denied},
			`"op":0,"capability":"c","target":"<a href=\"é\\\">日本😀&","outcome":"denied"`,
		},
	} {
		t.Run(claim, func(t *testing.T) {
			r := c.record
			r.Timestamp = 1700000000000
			line, err := newChain().seal(&r, nil)
			if err != nil {
				t.Fatal(err)
			}
			body := base + c.want + tail
			want := strings.TrimSuffix(body, "}") + `,"hash":"` + hashOf([]byte(body)) + `"}` + "\n"
			if string(line) != want {
				t.Errorf("got  %s\nwant %s", line, want)
			}
			if text, _ := r.MarshalJSON(); string(text)+"\n" != want {
				t.Errorf("MarshalJSON differs: %s", text)
			}
			if back, err := parse(line[:len(line)-1]); err != nil || back.Hash != r.Hash {
				t.Errorf("parse: %v, %v", back, err)
			}
		})
	}
}

// Covers: T-AUD-03
func TestLongStringsAreCutAndTheLineStaysBounded(t *testing.T) {
	for _, unit := range []string{"a", "é", "\x00", "\xff", "😀", "\U000e0041"} {
		long := strings.Repeat(unit, 20_000)
		r := Record{Run: long, Capability: long, Target: long, Reason: long, Outcome: Denied, Bytes: new(int64(1 << 62)), DurationMs: new(int64(1 << 62))}
		line, err := newChain().seal(&r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(line) > MaxLineBytes/8 || len(r.Target) > MaxTargetBytes || len(r.Reason) > MaxReasonBytes {
			t.Errorf("%q: line %d, target %d, reason %d bytes", unit, len(line), len(r.Target), len(r.Reason))
		}
		if !strings.HasSuffix(r.Target, "…") || utf8.ValidString(unit) && !utf8.ValidString(r.Target) {
			t.Errorf("%q: cut inside a character", unit)
		}
		if _, err := parse(line[:len(line)-1]); err != nil {
			t.Errorf("%q: %v", unit, err)
		}
	}
}

func TestInvalidRecordIsRefusedByEverySink(t *testing.T) {
	file, err := OpenFile(t.TempDir()+"/log", FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for claim, r := range map[string]Record{
		"no capability":     {Outcome: Used},
		"no outcome":        {Capability: "secret"},
		"unknown outcome":   {Capability: "secret", Outcome: "maybe"},
		"negative bytes":    {Capability: "secret", Outcome: Used, Bytes: new(int64(-1))},
		"negative duration": {Capability: "secret", Outcome: Used, DurationMs: new(int64(-1))},
	} {
		for _, s := range []Sink{file, NewMemory(), Tee(NewMemory(), NewMemory())} {
			if err := s.Append(&r); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v", claim, err)
			}
			if head, err := s.Sync(); head != Genesis || err != nil {
				t.Errorf("%s: the chain moved: %s, %v", claim, head, err)
			}
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("run", "filesystem.read", "/etc/passwd\n", "why \xff")
	f.Add("", "x", "\u2028\U0010ffff\ufffd\\\"", "\x00")
	f.Fuzz(func(t *testing.T, run, capability, target, reason string) {
		r := Record{Run: run, Capability: capability + "x", Target: target, Reason: reason, Outcome: Denied}
		line, err := newChain().seal(&r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(line), "\n") != 1 || len(line) > MaxLineBytes || !json.Valid(line) || !utf8.Valid(line) {
			t.Fatalf("bad line %q", line)
		}
		if _, err := parse(line[:len(line)-1]); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
	})
}
