package redact

import (
	"bytes"
	stdbase64 "encoding/base64"
	stdhex "encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Values with everything that some encoding treats specially.
var values = []string{
	"hunter2-hunter2",
	"sk_live/4eC39HqLyjWDarjtT1zdp7dc+==",
	`p"w\d<&>'%41 +/?=#é😀`,
	"12345678",
	"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----",
	"\x00\xff\xfe binary \x80",
}

// encodings are the spellings that the package promises to find.
var encodings = map[string]func(string) string{
	"raw":              func(s string) string { return s },
	"query escape":     url.QueryEscape,
	"path escape":      url.PathEscape,
	"lower":            lower,
	"lower, percent":   func(s string) string { return url.QueryEscape(lower(s)) },
	"percent, all":     func(s string) string { return each(s, "%%%02X") },
	"percent, lower":   func(s string) string { return each(s, "%%%02x") },
	"percent, lenient": func(s string) string { return strings.NewReplacer("%", "%25", "+", "%2B").Replace(s) },
	"hex":              func(s string) string { return stdhex.EncodeToString([]byte(s)) },
	"HEX":              func(s string) string { return strings.ToUpper(stdhex.EncodeToString([]byte(s))) },
	"\\x":              func(s string) string { return each(s, `\x%02x`) },
	"quoted":           func(s string) string { return trim(strconv.Quote(s)) },
	"quoted, ASCII":    func(s string) string { return trim(strconv.QuoteToASCII(s)) },
	"base64":           func(s string) string { return stdbase64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, raw":      func(s string) string { return stdbase64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64url":        func(s string) string { return stdbase64.URLEncoding.EncodeToString([]byte(s)) },
	"base64url, raw":   func(s string) string { return stdbase64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64 at 1":      func(s string) string { return stdbase64.StdEncoding.EncodeToString([]byte("u" + s + "x")) },
	"base64 at 2":      func(s string) string { return stdbase64.StdEncoding.EncodeToString([]byte("u:" + s + "xy")) },
	"base64 at 3":      func(s string) string { return stdbase64.URLEncoding.EncodeToString([]byte("us:" + s)) },
	"base64, query": func(s string) string {
		return url.QueryEscape(stdbase64.StdEncoding.EncodeToString([]byte(s)))
	},
	"base64, \\/": func(s string) string {
		return strings.ReplaceAll(stdbase64.StdEncoding.EncodeToString([]byte(s)), "/", `\/`)
	},
	"base64, folded":  func(s string) string { return fold(stdbase64.StdEncoding.EncodeToString([]byte(s)), "\r\n") },
	"base64, folded2": func(s string) string { return fold(stdbase64.StdEncoding.EncodeToString([]byte(s)), `\n`) },
}

// textEncodings exist for well-formed strings only.
var textEncodings = map[string]func(string) string{
	"json": func(s string) string { b, _ := json.Marshal(s); return trim(string(b)) },
	"json, \\/": func(s string) string {
		b, _ := json.Marshal(s)
		return strings.ReplaceAll(trim(string(b)), "/", `\/`)
	},
	"json, ASCII": func(s string) string {
		var out strings.Builder
		for _, r := range s {
			if r > 0xffff {
				r -= 0x10000
				fmt.Fprintf(&out, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
				continue
			}
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		return out.String()
	},
	"html":          html.EscapeString,
	"html, decimal": func(s string) string { return eachRune(s, "&#%d;") },
	"html, hex":     func(s string) string { return eachRune(s, "&#x%X;") },
	"\\u{}":         func(s string) string { return eachRune(s, `\u{%x}`) },
}

func each(s, format string) string {
	var out strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&out, format, c)
	}
	return out.String()
}

func eachRune(s, format string) string {
	var out strings.Builder
	for _, c := range s {
		fmt.Fprintf(&out, format, c)
	}
	return out.String()
}

func trim(quoted string) string { return quoted[1 : len(quoted)-1] }

func fold(s, with string) string {
	var out strings.Builder
	for i, c := range s {
		if i > 0 && i%7 == 0 {
			out.WriteString(with)
		}
		out.WriteRune(c)
	}
	return out.String()
}

func forEachSpelling(t *testing.T, check func(t *testing.T, value, spelt string)) {
	for i, value := range values {
		for name, encode := range encodings {
			t.Run(fmt.Sprintf("%d/%s", i, name), func(t *testing.T) { check(t, value, encode(value)) })
		}
		if strings.ToValidUTF8(value, "") != value || strings.ContainsRune(value, 0) {
			continue
		}
		for name, encode := range textEncodings {
			t.Run(fmt.Sprintf("%d/%s", i, name), func(t *testing.T) { check(t, value, encode(value)) })
		}
	}
}

// Covers: E2
// Covers: T-SEC-01
func TestEverySpellingIsReplaced(t *testing.T) {
	forEachSpelling(t, func(t *testing.T, value, spelt string) {
		r := New([]Secret{{Name: "OTHER", Value: "something else"}, {Name: "KEY", Value: value}})
		got, found := r.String(`{"a": "` + spelt + `"}`)
		if !slices.Equal(found, []string{"KEY"}) {
			t.Fatalf("%q in %q: found %q", value, spelt, found)
		}
		// Base64 may leave what stands beside the value in the same characters, and its padding.
		before, after, _ := strings.Cut(got, "[redacted:KEY]")
		if !strings.HasPrefix(before, `{"a": "`) || len(before) > len(`{"a": "`)+4 || !strings.HasSuffix(after, `"}`) || len(after) > len(`"}`)+6 {
			t.Fatalf("%q in %q: left %q", value, spelt, got)
		}
	})
}

func TestMatchCutByTwoWritesIsReplaced(t *testing.T) {
	forEachSpelling(t, func(t *testing.T, value, spelt string) {
		r := New([]Secret{{Name: "KEY", Value: value}})
		whole := "before " + spelt + " after " + spelt
		want, _ := r.String(whole)
		for cut := range len(whole) + 1 {
			var got bytes.Buffer
			w := r.Writer(&got)
			for _, part := range []string{whole[:cut], whole[cut:]} {
				if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got.String() != want || !slices.Equal(w.Found(), []string{"KEY"}) {
				t.Fatalf("cut at %d: %q, want %q", cut, got.String(), want)
			}
		}
	})
}

func TestStreamOfSingleBytesEqualsTheWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	r := New([]Secret{{Name: "A", Value: "aaaaaaaa"}, {Name: "B", Value: "aabaabaab"}, {Name: "C", Value: "%25%25ab"}})
	for range 2000 {
		text := make([]byte, random.IntN(80))
		for i := range text {
			text[i] = "aaaaab%25"[random.IntN(9)]
		}
		want, _ := r.Bytes(text)
		var got bytes.Buffer
		w := r.Writer(&got)
		for i := range text {
			w.Write(text[i : i+1])
		}
		w.Close()
		if got.String() != string(want) {
			t.Fatalf("%q: %q, want %q", text, got.String(), want)
		}
	}
}

func TestInnocentTextStays(t *testing.T) {
	r := New([]Secret{{Name: "KEY", Value: "hunter2-hunter2"}, {Name: "SHORT", Value: "1234567"}})
	for _, text := range []string{"", "h", "hunter2-hunter", "hunter2_hunter2", "1234567", "aHVudGVyMi1odW50ZX", "%68unter2", `\u0068`, "68756e746572322d68756e74657"} {
		b := []byte(text)
		got, found := r.Bytes(b)
		if string(got) != text || found != nil {
			t.Errorf("%q became %q, found %q", text, got, found)
		}
		if len(b) > 0 && &got[0] != &b[0] {
			t.Errorf("%q was copied", text)
		}
		var out bytes.Buffer
		w := r.Writer(&out)
		w.Write(b)
		w.Close()
		if out.String() != text {
			t.Errorf("stream of %q became %q", text, out.String())
		}
	}
}

func TestOverlappingSecretsLeaveNoRest(t *testing.T) {
	r := New([]Secret{{Name: "A", Value: "XXXXabcd1234"}, {Name: "B", Value: "1234efgh5678"}, {Name: "C", Value: "XXXXabcd"}})
	got, found := r.String("<XXXXabcd1234efgh5678>")
	if want := "<[redacted:A][redacted:C][redacted:B]>"; got != want || len(found) != 3 {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReadableSecretStaysInResultsOnly(t *testing.T) {
	set := NewSet([]Secret{{Name: "HIDDEN", Value: "hidden-hidden"}, {Name: "OPEN", Value: "open-open-open", Readable: true}})
	text := "hidden-hidden open-open-open"
	if got := set.Everywhere.Text(text); got != "[redacted:HIDDEN] open-open-open" {
		t.Error(got)
	}
	if got := set.Diagnostics.Text(text); got != "[redacted:HIDDEN] [redacted:OPEN]" {
		t.Error(got)
	}
}

func TestNilRedactorPassesEverything(t *testing.T) {
	r := New(nil)
	var out bytes.Buffer
	w := r.Writer(&out)
	w.Write([]byte("text"))
	if got, found := r.String("text"); r != nil || got != "text" || found != nil || w.Close() != nil || out.String() != "text" || w.Found() != nil {
		t.Error(got, found, out.String())
	}
}

func TestHostileTextTakesLinearTime(t *testing.T) {
	key := strings.Repeat("0123456789abcdef", 200)[:3200]
	r := New([]Secret{{Name: "KEY", Value: key}})
	for _, unit := range []string{"0", "01", "%", "%3", "\\", `\u00`, "&#", "&#0", "MDEy", "\r\n", key[:len(key)-1]} {
		text := bytes.Repeat([]byte(unit), 1<<20/len(unit))
		start := processorTime()
		var out bytes.Buffer
		w := r.Writer(&out)
		w.Write(text)
		w.Close()
		took := processorTime() - start
		t.Logf("%.20q %v", unit, took)
		if took > 5*time.Second {
			t.Errorf("%.20q: %v", unit, took)
		}
	}
}

// processorTime is what this process has used, however busy the host is.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func FuzzStreamEqualsWhole(f *testing.F) {
	for _, v := range values {
		for _, encode := range encodings {
			f.Add([]byte(encode(v)), 3)
		}
	}
	var secrets []Secret
	for i, v := range values {
		secrets = append(secrets, Secret{Name: strconv.Itoa(i), Value: v})
	}
	r := New(secrets)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		want, _ := r.Bytes(text)
		for _, s := range secrets {
			if bytes.Contains(want, []byte(s.Value)) {
				t.Fatalf("%q left in %q", s.Value, want)
			}
		}
		cut = max(0, min(cut, len(text)))
		var got bytes.Buffer
		w := r.Writer(&got)
		w.Write(text[:cut])
		w.Write(text[cut:])
		w.Close()
		if !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("%q, want %q", got.Bytes(), want)
		}
	})
}

func BenchmarkBytes(b *testing.B) {
	english := bytes.Repeat([]byte(`{"name": "the quick brown fox", "id": 1234567, "url": "https://example.com/a?b=c"} `), 1<<20/82)
	random := make([]byte, 1<<20)
	source := rand.New(rand.NewPCG(1, 1))
	for i := range random {
		random[i] = byte(source.Uint32())
	}
	text := []byte(stdbase64.StdEncoding.EncodeToString(random))[:1<<20]
	for _, count := range []int{1, 10} {
		var secrets []Secret
		for i := range count {
			secrets = append(secrets, Secret{Name: "K", Value: stdhex.EncodeToString(random[i*32 : i*32+20])})
		}
		r := New(secrets)
		for name, body := range map[string][]byte{"json": english, "random": random, "base64": text[1000:]} {
			b.Run(fmt.Sprintf("%s/%d", name, count), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					r.Bytes(body)
				}
			})
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New([]Secret{{Name: "K", Value: "0123456789abcdef0123456789abcdef"}})
	}
}
