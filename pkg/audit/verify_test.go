package audit

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// threeLines is an intact log with one record of each kind.
func threeLines(t testing.TB) []string {
	var text bytes.Buffer
	s := NewWriter(&text)
	for _, r := range []Record{
		{Timestamp: 1, Run: "r", Capability: Execute, Outcome: Allowed, Reason: "source 00"},
		{Timestamp: 2, Run: "r", Op: 1, Capability: "secret", Target: "TOKEN", Outcome: Denied},
		{Timestamp: 3, Run: "r", Capability: Execute, Outcome: Used, Bytes: new(int64(2)), DurationMs: new(int64(5))},
	} {
		if err := s.Append(&r); err != nil {
			t.Fatal(err)
		}
	}
	return strings.SplitAfter(text.String(), "\n")[:3]
}

// Covers: T-AUD-02
func TestVerifyNamesTheFirstBadLine(t *testing.T) {
	l := threeLines(t)
	edit := func(line, from, to string) string {
		if !strings.Contains(line, from) {
			t.Fatalf("%q is not in %q", from, line)
		}
		return strings.Replace(line, from, to, 1)
	}
	for claim, c := range map[string]struct {
		text   string
		line   uint64
		reason string
	}{
		"a changed field":                {l[0] + edit(l[1], "TOKEN", "TOKEM") + l[2], 2, "hash"},
		"a changed field, hash redone":   {l[0] + rehash(edit(l[1], "TOKEN", "TOKEM")) + l[2], 3, "prev"},
		"a removed line":                 {l[0] + l[2], 2, "seq is 3"},
		"a removed line, renumbered":     {l[0] + rehash(edit(l[2], `"seq":3`, `"seq":2`)), 2, "prev"},
		"a removed beginning":            {l[1] + l[2], 1, "seq is 2"},
		"a repeated line":                {l[0] + l[0], 2, "seq is 1"},
		"swapped lines":                  {l[1] + l[0] + l[2], 1, "seq"},
		"an empty line":                  {l[0] + "\n" + l[1], 2, "not an audit record"},
		"a line that is not JSON":        {"hello\n", 1, "not an audit record"},
		"white space":                    {l[0] + edit(l[1], `"op":1`, `"op": 1`), 2, "canonical"},
		"a carriage return":              {edit(l[0], "\n", "\r\n"), 1, "canonical"},
		"a key twice":                    {l[0] + rehash(edit(l[1], `"op":1`, `"op":2,"op":1`)), 2, "canonical"},
		"an unknown key":                 {rehash(edit(l[0], `"op":0`, `"op":0,"x":1`)), 1, "canonical"},
		"another spelling of a string":   {l[0] + rehash(edit(l[1], "TOKEN", `\u0054OKEN`)), 2, "canonical"},
		"an unknown outcome":             {l[0] + rehash(edit(l[1], "denied", "waived")), 2, "canonical"},
		"an unfinished line":             {l[0] + l[1][:40], 2, "unfinished"},
		"a line without its newline":     {l[0] + strings.TrimSuffix(l[1], "\n"), 2, "unfinished"},
		"a line that never ends":         {l[0] + strings.Repeat("x", 2*MaxLineBytes), 2, "longer"},
		"deep nesting":                   {l[0] + strings.Repeat("[", MaxLineBytes-2) + "\n", 2, "not an audit record"},
		"null":                           {"null\n", 1, "canonical"},
		"numbers out of range":           {`{"seq":1e99}` + "\n", 1, "not an audit record"},
		"NUL bytes left by a full disk":  {l[0] + strings.Repeat("\x00", 300) + "\n", 2, "not an audit record"},
		"a byte order mark":              {"\ufeff" + l[0], 1, "not an audit record"},
		"the first prev is not genesis":  {rehash(edit(l[0], `"prev":"0`, `"prev":"1`)), 1, "prev"},
		"a hash in capitals":             {strings.ToUpper(l[0]), 1, ""},
		"a record of another log at end": {l[0] + l[1] + rehash(edit(l[2], `"timestamp":3`, `"timestamp":9`)) + l[2], 4, "seq"},
	} {
		t.Run(claim, func(t *testing.T) {
			sum, err := Verify(strings.NewReader(c.text))
			var bad *CorruptError
			if !errors.As(err, &bad) {
				t.Fatalf("%+v, %v", sum, err)
			}
			if bad.Line != c.line || !strings.Contains(bad.Reason, c.reason) || sum.Records != c.line-1 {
				t.Errorf("%+v, %v", sum, err)
			}
			if bad.Torn != (c.reason == "unfinished") {
				t.Errorf("torn is %v", bad.Torn)
			}
		})
	}
}

func TestVerifySummarises(t *testing.T) {
	if sum, err := Verify(strings.NewReader("")); err != nil || sum.Head != Genesis || sum.Records != 0 {
		t.Errorf("empty: %+v, %v", sum, err)
	}
	text := strings.Join(threeLines(t), "")
	sum, err := Verify(iotestOneByte{strings.NewReader(text)})
	if err != nil || sum.Records != 3 || sum.First != 1 || sum.Last != 3 || !strings.Contains(text, sum.Head) {
		t.Errorf("%+v, %v", sum, err)
	}
	broken := errors.New("broken")
	if _, err := Verify(io.MultiReader(strings.NewReader(text), failing{broken})); !errors.Is(err, broken) {
		t.Errorf("reader's error: %v", err)
	}
}

type iotestOneByte struct{ r io.Reader }

func (r iotestOneByte) Read(p []byte) (int, error) { return r.r.Read(p[:min(1, len(p))]) }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestHeadReadsTheEnd(t *testing.T) {
	path := t.TempDir() + "/log"
	if _, err := Head(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	s, err := OpenFile(path, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if head, err := Head(path); head != Genesis || err != nil {
		t.Errorf("empty file: %s, %v", head, err)
	}
	for _, target := range []string{"a", strings.Repeat("\x00", 9000), "b"} {
		mustAppend(t, s, target)
		want, _ := s.Sync()
		if head, err := Head(path); head != want || err != nil {
			t.Errorf("got %s, %v; want %s", head, err, want)
		}
	}
	if _, err := Head(t.TempDir()); !errors.Is(err, ErrNotRegular) {
		t.Errorf("directory: %v", err)
	}
}

func FuzzVerify(f *testing.F) {
	l := threeLines(f)
	f.Add([]byte(strings.Join(l, "")))
	f.Add([]byte(l[0] + l[1][:50]))
	f.Add([]byte(l[1] + "\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		sum, err := Verify(bytes.NewReader(text))
		if lines := uint64(bytes.Count(text, []byte("\n"))); err == nil && sum.Records != lines || sum.Records > lines {
			t.Fatalf("%d records in %d lines, %v", sum.Records, lines, err)
		}
		// What verifies has an end that a writer can continue from.
		e, endErr := readEnd(bytes.NewReader(text), int64(len(text)))
		if err == nil && (endErr != nil || e.head != sum.Head || e.seq != sum.Records || e.torn != 0) {
			t.Fatalf("end %+v, %v; summary %+v", e, endErr, sum)
		}
	})
}
