//go:build unix

package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func open(t *testing.T, path string) Sink {
	t.Helper()
	s, err := OpenFile(path, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func verifyFile(t *testing.T, path string) Summary {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum, err := Verify(file)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// Covers: T-LOC-03
func TestFileIsPrivateAndContinuesItsChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for range 3 {
		s := open(t, path)
		mustAppend(t, s, "a", "b")
		if head, err := s.Sync(); err != nil || head != verifyFile(t, path).Head {
			t.Fatalf("%s, %v", head, err)
		}
		s.Close()
		if err := s.Append(note("late")); !errors.Is(err, ErrClosed) {
			t.Errorf("append after close: %v", err)
		}
	}
	if sum := verifyFile(t, path); sum.Records != 6 {
		t.Errorf("%+v", sum)
	}
	if info, _ := os.Stat(path); info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestFileThatIsNoLogIsRefused(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "fifo", "."} {
		if _, err := OpenFile(filepath.Join(dir, name), FileOptions{}); !errors.Is(err, ErrNotRegular) && !errors.Is(err, syscall.EISDIR) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := OpenFile("/dev/null", FileOptions{}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("device: %v", err)
	}
	if _, err := OpenFile(filepath.Join(dir, "no", "log"), FileOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
	for _, text := range []string{"root:x:0:0::/root:/bin/sh\n", "{}\n", strings.Repeat("x", 2*MaxLineBytes), "\n"} {
		if err := os.WriteFile(real, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var bad *CorruptError
		if _, err := OpenFile(real, FileOptions{}); !errors.As(err, &bad) {
			t.Errorf("%.20q: %v", text, err)
		}
		if now, _ := os.ReadFile(real); string(now) != text {
			t.Errorf("%.20q was changed", text)
		}
	}
}

func TestTornEndIsMended(t *testing.T) {
	l := threeLines(t)
	for claim, c := range map[string]struct {
		text    string
		records uint64 // after one more append
	}{
		"a line cut in the middle goes":        {l[0] + l[1] + l[2][:50], 4},
		"a first line cut in the middle goes":  {l[0][:10], 2},
		"a line that lacks its newline stays":  {l[0] + strings.TrimSuffix(l[1], "\n"), 3},
		"a first line without newline stays":   {strings.TrimSuffix(l[0], "\n"), 2},
		"zeros that a full disk left behind":   {l[0] + strings.Repeat("\x00", 6000), 3},
		"zeros behind a line's beginning":      {l[0] + l[1][:40] + strings.Repeat("\x00", 100), 3},
		"one byte of a line":                   {l[0] + l[1][:1], 3},
		"a long line before a torn one stays":  {longLine() + `{"seq":2`, 3},
		"a torn line longer than a few blocks": {longLine() + strings.Replace(longLine()[:20_000], "1", "2", 1), 3},
	} {
		t.Run(claim, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			mustAppend(t, open(t, path), "next")
			if sum := verifyFile(t, path); sum.Records != c.records {
				t.Errorf("%+v", sum)
			}
			text, _ := os.ReadFile(path)
			if cut := strings.Contains(string(text), `"capability":"audit","outcome":"error"`); cut == strings.HasSuffix(claim, "newline stays") {
				t.Errorf("recovery noted: %v\n%s", cut, text)
			}
		})
	}
}

// Covers: T-AUD-02
func TestChangedEndIsNotContinued(t *testing.T) {
	l := threeLines(t)
	all := l[0] + l[1] + l[2]
	tooLong := strings.Repeat("x", maxWindow) + "\n"
	for claim, c := range map[string]struct {
		text, reason string
		at           int // the byte where the line begins that is named
	}{
		"a changed last line":                   {l[0] + l[1] + strings.Replace(l[2], `"bytes":2`, `"bytes":3`, 1), "the hash does not match", len(l[0] + l[1])},
		"a changed last line, hash redone":      {l[0] + rehash(strings.Replace(l[1], `"seq":2`, `"seq":3`, 1)), "seq is 3, not 2", len(l[0])},
		"a removed line":                        {l[0] + l[2], "seq is 3, not 2", len(l[0])},
		"a removed line, renumbered":            {l[0] + rehash(strings.Replace(l[2], `"seq":3`, `"seq":2`, 1)), "prev is not the hash", len(l[0])},
		"a changed line before the last":        {l[0] + strings.Replace(l[1], "TOKEN", "TOKEM", 1) + l[2], "the hash does not match", len(l[0])},
		"a line that was put between":           {l[0] + "x\n" + l[1], "not an audit record", len(l[0])},
		"a removed beginning":                   {l[2], "seq is 3, not 1", 0},
		"a repeated line":                       {all + l[2], "seq is 3, not 4", len(all)},
		"an empty last line":                    {all + "\n", "not an audit record", len(all)},
		"text behind the last newline":          {all + "hello", "neither a record nor the beginning of the next", len(all)},
		"a record of another log's there":       {all + strings.TrimSuffix(l[0], "\n"), "neither", len(all)},
		"a changed record there":                {l[0] + strings.TrimSuffix(strings.Replace(l[1], "TOKEN", "T", 1), "\n"), "neither", len(l[0])},
		"the beginning of another record there": {all + `{"seq":9,"timestamp":1`, "neither", len(all)},
		"text in a log without lines":           {"hello", "neither", 0},
		"a line before a long one":              {"x\n" + longLine(), "not an audit record", 0},
		"a line that is too long between":       {l[0] + tooLong + l[1], "longer than a record", len(l[0]+tooLong+l[1]) - maxWindow},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenFile(path, FileOptions{})
		var bad *CorruptError
		if !errors.As(err, &bad) || bad.Offset != int64(c.at) {
			t.Errorf("%s: %v", claim, err)
			continue
		}
		for _, say := range []string{path, fmt.Sprintf("the line at byte %d: ", c.at), c.reason, "supervisor audit verify", "move it away"} {
			if !strings.Contains(err.Error(), say) {
				t.Errorf("%s: %v does not say %q", claim, err, say)
			}
		}
		if now, _ := os.ReadFile(path); string(now) != c.text {
			t.Errorf("%s: the log was changed", claim)
		}
	}
	// What lies before the last two lines is for Verify.
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(strings.Replace(l[0], "source", "sauce", 1)+l[1]+l[2]), 0o600); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, open(t, path), "next")
}

// rehash makes an edited line consistent in itself, as a forger would.
func rehash(line string) string {
	body := line[:strings.Index(line, `,"hash"`)] + "}"
	return string(appendHash([]byte(body), hashOf([]byte(body)))) + "\n"
}

// longLine is longer than any that is written.
func longLine() string {
	r := Record{Seq: 1, Timestamp: 1, Capability: "x", Target: strings.Repeat("x", 30_000), Outcome: Denied, Prev: Genesis}
	body := appendBody(nil, &r)
	return string(appendHash(body, hashOf(body))) + "\n"
}

func TestTwoWritersShareOneChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	a, b := open(t, path), open(t, path)
	for range 20 {
		mustAppend(t, a, "a", "a")
		mustAppend(t, b, "b")
	}
	if sum := verifyFile(t, path); sum.Records != 60 {
		t.Errorf("%+v", sum)
	}
}

func TestRotationAndDeletion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	s := open(t, path)
	mustAppend(t, s, "a", "b")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "a new chain")
	if sum := verifyFile(t, path); sum.Records != 1 {
		t.Errorf("truncated: %+v", sum)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "still there")
	if sum := verifyFile(t, path+".1"); sum.Records != 2 {
		t.Errorf("renamed: %+v", sum)
	}
	if err := os.Remove(path + ".1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(note("lost")); !errors.Is(err, ErrDeleted) {
		t.Errorf("deleted: %v", err)
	}
}

func TestForeignTextBehindTheChainIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	s := open(t, path)
	mustAppend(t, s, "a")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("hello\n"); err != nil {
		t.Fatal(err)
	}
	var bad *CorruptError
	if err := s.Append(note("b")); !errors.As(err, &bad) {
		t.Error(err)
	}
}

func TestLockThatIsNeverReleasedEndsInAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	open(t, path)
	s, err := OpenFile(path, FileOptions{LockTimeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(note("a")); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "a")
}

func BenchmarkAppendFile(b *testing.B) {
	s, err := OpenFile(filepath.Join(b.TempDir(), "log"), FileOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if err := s.Append(note("/srv/input/prompt.txt")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendMemory(b *testing.B) {
	s := NewMemory()
	for b.Loop() {
		if err := s.Append(note("/srv/input/prompt.txt")); err != nil {
			b.Fatal(err)
		}
	}
}
