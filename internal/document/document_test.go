package document

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

type sample struct {
	Name   string            `json:"name"`
	Flag   bool              `json:"flag"`
	Maybe  *bool             `json:"maybe"`
	Number int64             `json:"number"`
	UID    uint32            `json:"uid"`
	List   []string          `json:"list"`
	Map    map[string]string `json:"map"`
	Inner  inner             `json:"inner"`
	Items  []inner           `json:"items"`
	Texts  map[string]text   `json:"texts"`
}

type inner struct {
	Size int64  `json:"size"`
	Name string `json:"name"`
}

func (inner) Bound(key string) (int64, string, bool) { return 10, "use 1 to 10", key == "size" }

type text struct {
	Value string `json:"value"`
}

func (t *text) SetText(s string) { t.Value = s }

func decode(t *testing.T, document string) (sample, *Source, error) {
	t.Helper()
	var s sample
	source, err := Decode(strings.NewReader(document), &s)
	return s, source, err
}

func TestBothSyntaxesMeanTheSame(t *testing.T) {
	for name, document := range map[string]string{
		"block YAML": "name: a b\nflag: true\nmaybe: false\nnumber: 7\nuid: 4294967295\nlist: [x, \"1\"]\nmap: {k: v}\n" +
			"inner:\n  size: 10\n  name: |-\n    two\n    lines\nitems:\n- name: one\n- {name: two}\ntexts: {a: plain, b: {value: long}}\n",
		"JSON":           `{"name":"a b","flag":true,"maybe":false,"number":7,"uid":4294967295,"list":["x","1"],"map":{"k":"v"},"inner":{"size":10,"name":"two\nlines"},"items":[{"name":"one"},{"name":"two"}],"texts":{"a":"plain","b":{"value":"long"}}}`,
		"JSON with tabs": "{\n\t\"name\":\t\"a b\",\"flag\":true,\"maybe\":false,\"number\":7,\"uid\":4294967295,\"list\":[\"x\",\"1\"],\"map\":{\"k\":\"v\"},\"inner\":{\"size\":10,\"name\":\"two\\u000alines\"},\"items\":[{\"name\":\"one\"},{\"name\":\"two\"}],\"texts\":{\"a\":\"plain\",\"b\":{\"value\":\"long\"}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := decode(t, document)
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != "a b" || !s.Flag || s.Maybe == nil || *s.Maybe || s.Number != 7 || s.UID != 4294967295 || len(s.List) != 2 || s.List[1] != "1" ||
				s.Map["k"] != "v" || s.Inner != (inner{10, "two\nlines"}) || len(s.Items) != 2 || s.Items[1].Name != "two" ||
				s.Texts["a"].Value != "plain" || s.Texts["b"].Value != "long" {
				t.Errorf("decoded %+v", s)
			}
		})
	}
}

func TestEmptyDocumentsAreAllowed(t *testing.T) {
	for _, document := range []string{"", "\n", "# nothing granted\n", "---\n", "{}", "null", "\xEF\xBB\xBF", "list:\nmap: # none\ninner:\n"} {
		if _, _, err := decode(t, document); err != nil {
			t.Errorf("%q: %v", document, err)
		}
	}
}

// A template whose list came out empty does not mean what a document without the list means.
func TestAnEmptyListIsTheSameInEverySpelling(t *testing.T) {
	for document, given := range map[string]bool{"list:": true, "list: []": true, "list: null": true, `{"list": null}`: true, "": false, "map:": false} {
		s, _, err := decode(t, document)
		if err != nil || len(s.List) != 0 || (s.List != nil) != given {
			t.Errorf("%q: %#v, %v", document, s.List, err)
		}
	}
}

func TestProblemsNamePlaceAndFix(t *testing.T) {
	for _, c := range []struct{ claim, document, want string }{
		{"an unknown key is refused", "name: x\nnmae: y", `line 2:1: nmae: unknown key; use one of flag, inner, items, list, map, maybe, name, number, texts, uid`},
		{"a key in the wrong case is recognised", "Name: y", `line 1:1: Name: unknown key; did you mean name?`},
		{"a mistyped key is recognised", "inner: {siz: 1}", `line 1:9: inner.siz: unknown key; did you mean size?`},
		{"a repeated key is refused", "name: x\nflag: true\nname: y", `line 3:1: name: the key was given before, in line 1; keep one`},
		{"a repeated JSON key is refused", "{\"name\": \"x\",\n \"name\": \"y\"}", `line 2:2: name: the key was given before, in line 1; keep one`},
		{"a repeated map key is refused", "map: {a: x, a: y}", `line 1:13: map.a: the key was given before, in line 1; keep one`},
		{"two documents are refused", "name: x\n---\nname: y", `there is more than one document; keep one`},
		{"an anchor is refused", "name: &a x", `line 1:7: anchors, aliases and merge keys are not accepted; write the value out`},
		{"an alias is refused", "list: [*a]", `anchors, aliases and merge keys are not accepted`},
		{"a merge key is refused", "inner:\n  <<: {size: 1}", `anchors, aliases and merge keys are not accepted`},
		{"a tag is refused", "name: !!str x", `line 1:7: tags are not accepted; remove it`},
		{"a directive is refused", "%YAML 1.2\n---\nname: x", `directives are not accepted`},
		{"a number is not text", "name: 7", `line 1:7: name: is a number, not text; write it in quotes`},
		{"a boolean is not text", "list: [true]", `line 1:8: list[0]: is true or false, not text; write it in quotes`},
		{"text is not a boolean", "flag: yes", `line 1:7: flag: is text, not true or false`},
		{"text is not a number", `number: "7"`, `line 1:9: number: is text, not a number; write an integer in decimal digits`},
		{"a fraction is not an integer", "number: 1.0", `1.0 is not an integer`},
		{"an exponent is not an integer", `{"number": 1e3}`, `line 1:12: number: 1e3 is not an integer`},
		{"hexadecimal is not accepted", "number: 0x10", `0x10 is not an integer`},
		{"a leading zero is not accepted", "number: 010", `010 is not an integer`},
		{"a number that overflows is refused", "number: 9223372036854775808", `9223372036854775808 is out of range`},
		{"a uid is not negative", "uid: -1", `-1 is out of range`},
		{"a uid has 32 bits", "uid: 4294967296", `4294967296 is out of range`},
		{"zero is below the minimum", "inner: {size: 0}", `line 1:15: inner.size: 0 is below the minimum of 1; use 1 to 10`},
		{"a negative number is below the minimum", "inner: {size: -5}", `-5 is below the minimum of 1; use 1 to 10`},
		{"above the maximum is refused", "inner: {size: 11}", `11 is above the maximum of 10; use 1 to 10`},
		{"far above the maximum is refused", "inner: {size: 99999999999999999999}", `99999999999999999999 is above the maximum of 10; use 1 to 10`},
		{"an empty scalar is refused", "name:", `name: has no value; give it one or remove the key`},
		{"an empty limit is refused", "inner: {size: }", `inner.size: has no value`},
		{"a mapping is not a list", "list: {a: b}", `list: is a mapping, not a list`},
		{"a list is not a mapping", "map: [a]", `map: is a list, not a mapping`},
		{"text is not a mapping", "inner: x", `inner: is text, not a mapping`},
		{"the document is a mapping", "- a", `is a list, not a mapping`},
		{"a NUL byte is refused", "name: a\x00b", `line 1:8: the document holds a NUL byte`},
		{"invalid UTF-8 is refused", "name: \xff", `the document is not UTF-8`},
		{"broken YAML is refused", "name: [", `malformed YAML`},
		{"a tab is told with its line", "inner:\n\tsize: 1", "line 2:1: malformed YAML: found character '\t' that cannot start any token; indent with spaces"},
		{"an open quote is told where it begins", "flag: true\nname: \"x\n", `line 2:7: malformed YAML: could not find end character of double-quoted text; close the quote`},
		{"a reserved character is told with its place", "name: @x", `line 1:7: malformed YAML: '@' is a reserved character; put the text in quotes`},
		{"a key without a space behind its colon is none", "inner: {size:10}", `size:10`},
		{"a key with a colon in it is never misread", "{map: {pre:A: x}}", `line 1:8: malformed YAML: a key with a colon in it; put the key in quotes`},
		{"nor is one in another's brackets", "{inner: {size:10}}", `size:10`},
		{"broken JSON is refused", `{"name": "x"`, `malformed`},
		{"half a character is refused", "{\"name\":\n \"a\\ud83db\"}", `line 2:2: the text holds half of a surrogate pair; write both halves, or the character itself`},
		{"half a character as a key is refused", `{"map": {"\udc00": "x"}}`, `line 1:10: the text holds half of a surrogate pair`},
		{"text after JSON is refused", `{"name": "x"} {"name": "y"}`, `malformed`},
		{"a complex key is refused", "map: {[a]: b}", `line 1:10: malformed YAML`},
		{"an odd key is quoted in the path", "map: {\"a/b\": 1}", `map["a/b"]: is a number, not text`},
	} {
		t.Run(c.claim, func(t *testing.T) {
			_, _, err := decode(t, c.document)
			var list *Error
			if !errors.As(err, &list) {
				t.Fatalf("error %v is no *Error", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
}

func TestHalvesOfSurrogatePairsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		`"a"`: false, `"\u0041\n\\"`: false, `"\ud83d\ude00"`: false, `"\uD83D\uDE00\uD83D\uDE00"`: false, `"\\ud83d"`: false, `"\\\\ud83d"`: false,
		`"\ufffd"`: false, `"\ud7ff\ue000"`: false, `["\ud83d\ude00", {"a": 1}]`: false,
		`"\ud83d"`: true, `"\ude00"`: true, `"\ud83da\ude00"`: true, `"\ude00\ud83d"`: true, `"\ud83d\ud83d\ude00"`: true, `"\ud83d\u0041"`: true,
		`"\ud83d\n"`: true, `"\\\ud83d"`: true, `["\ud83d", "\ude00"]`: true, `{"\uDBFF": 1}`: true, `{"a": "\uDFFF"}`: true,
	} {
		if HalfPair([]byte(text)) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

func TestEveryProblemIsReported(t *testing.T) {
	_, _, err := decode(t, "name: 1\nflag: 2\nother: 3\ninner: {size: 0}")
	var list *Error
	if !errors.As(err, &list) || len(list.Problems) != 4 {
		t.Errorf("got %v, want four problems", err)
	}
}

func TestProblemsOfLaterChecksAreLocated(t *testing.T) {
	_, source, err := decode(t, "name: x\nitems:\n- name: a\n- name: b\nmap:\n  \"a/b\": c\n")
	if err != nil {
		t.Fatal(err)
	}
	for path, line := range map[string]int{"items[1].name": 4, "items[1].size": 4, "items": 3, `map["a/b"]`: 6, `map["a/b"].deeper`: 6, "nothing": 1} {
		var list *Error
		if !errors.As(source.Locate(&Error{Problems: []Problem{{Path: path}}}), &list) || list.Problems[0].Line != line {
			t.Errorf("%s is located in line %d, want %d", path, list.Problems[0].Line, line)
		}
	}
}

func TestHostileDocumentsAreRefusedQuickly(t *testing.T) {
	for claim, document := range map[string]string{
		"brackets":        strings.Repeat("[", maxBytes),
		"braces":          strings.Repeat("{a: ", maxBytes/4),
		"JSON brackets":   `{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}",
		"dashes":          strings.Repeat("- ", maxBytes/2),
		"question marks":  strings.Repeat("? ", maxBytes/2),
		"tags":            strings.Repeat("!a ", maxBytes/3),
		"anchors":         strings.Repeat("&a ", maxBytes/3),
		"indentation":     indented(1400),
		"list items":      "list:\n" + strings.Repeat("- a\n", maxBytes/5),
		"keys":            keys(maxBytes / 12),
		"quotes":          strings.Repeat("\"", maxBytes),
		"too large":       strings.Repeat("#", maxBytes+1),
		"laughs":          "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
		"spaces":          strings.Repeat(" ", maxBytes-1) + "x",
		"open literal":    "name: |\n" + strings.Repeat(" a\n", maxBytes/4) + "\n[",
		"colons":          strings.Repeat(":", maxBytes),
		"comments":        "list: [" + strings.Repeat("#\n", maxBytes/3),
		"carriage return": strings.Repeat("\r", maxBytes),
	} {
		t.Run(claim, func(t *testing.T) {
			start := time.Now()
			_, _, err := decode(t, document)
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
			if err == nil && claim != "carriage return" {
				t.Error("accepted")
			}
		})
	}
}

func TestReadErrorsAreNotDocumentErrors(t *testing.T) {
	broken := errors.New("broken")
	var s sample
	_, err := Decode(iotest.ErrReader(broken), &s)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func indented(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("k" + strings.Repeat("x", i%5) + ": 1\n")
	}
	return b.String()
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"name: x\nflag: true\nlist: [a, b]\nitems:\n- name: one\n", `{"name":"x","inner":{"size":1}}`, "map:\n  ? a\n  : b\n", "texts: {a: b, c: {value: d}}",
		"name: |\n  a\n  b\n", "name: >-\n a\n\n b", "name: 'it''s'", `name: "\u0041\x41\n"`, "---\nname: x\n...\n", "list:\n-\n- a", "name: &a x", "{name: x, }", "? [a]\n: b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, document string) {
		var s sample
		source, err := Decode(strings.NewReader(document), &s)
		var list *Error
		if err != nil && !errors.As(err, &list) {
			t.Fatalf("error %v is no *Error", err)
		}
		if err == nil && s.Inner.Size > 10 {
			t.Fatalf("bound passed: %d", s.Inner.Size)
		}
		if err == nil {
			_ = source.Locate(&Error{Problems: []Problem{{Path: "items[0].name"}}})
		}
	})
}

// In nested brackets as everywhere, a colon ends a key only where something separates it from what follows.
func TestColonsWithinTextNeedNoQuotes(t *testing.T) {
	for _, document := range []string{
		"list: [http://127.0.0.1:80/a?b=c#d, ns:a:b, 12:30]\nmap: {\"pre:A\": x:y, b: 1:2}",
		"{list: [http://127.0.0.1:80/a?b=c#d, ns:a:b, 12:30], map: {\"pre:A\": x:y, b: 1:2}}",
		"{list: [http://127.0.0.1:80/a?b=c#d,\n  ns:a:b,\n  12:30 ],  \"map\": {'pre:A': x:y , \"b\":1:2}}",
		"list:\n- http://127.0.0.1:80/a?b=c#d\n- ns:a:b\n- 12:30\nmap:\n  pre:A: x:y\n  b: 1:2",
	} {
		s, _, err := decode(t, document)
		if err != nil || !slices.Equal(s.List, []string{"http://127.0.0.1:80/a?b=c#d", "ns:a:b", "12:30"}) || !maps.Equal(s.Map, map[string]string{"pre:A": "x:y", "b": "1:2"}) {
			t.Errorf("%s\n%+v %v", document, s, err)
		}
	}
}
