package rpc

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func anySize(Op) (int, error) { return 1 << 20, nil }

// samples holds one filled message of each op.
func samples() []Message {
	return []Message{
		&Ready{Protocol: 1, Build: "b", V8: "13", SeccompSHA256: "00"},
		&Console{Level: "log", Message: "hé"},
		&Status{Stage: "s", Message: "m"},
		&Result{HeapBytes: 7, Value: Raw{0xc0}},
		&Failure{Code: "RUNTIME", Phase: "run", Name: "Error", Message: "m", Stack: "s", Line: 1, Column: 2, Capability: "c", Target: "t", Hint: "h", Pending: []string{"network x"}, Thrown: Raw{0x01}, HeapBytes: 3},
		&Environment{Name: "MODE"}, &Secret{Name: "S"},
		&FilesystemRead{Path: "/p", Offset: 1, Length: -1, Text: true},
		&FilesystemList{Path: "/p"}, &FilesystemStat{Path: "/p"},
		&FilesystemWrite{Path: "/p", Append: true, Size: 3, Data: []byte("abc")},
		&FilesystemMakeDirectory{Path: "/p"}, &FilesystemRemove{Path: "/p"},
		&NetworkFetch{Method: "GET", URL: "https://a", Headers: [][2]string{{"a", "b"}}, Size: 1, Body: []byte{1}, Text: true},
		&SubprocessSpawn{Path: "/bin/sh", Args: []string{"-c", "x"}, Size: 1, Stdin: []byte{2}},
		&ToolRequest{Method: "m", Size: 1, Params: Raw{0xc0}},
		&Execute{Source: []byte("1\x002"), Name: "n.ts", Mode: "auto", Args: Raw{0x90}, Input: Raw{0xc3}, Tools: []string{"t"}, TimeZone: "UTC",
			Modules: []Module{{Specifier: "a", Package: "p", Path: "q", Source: []byte("x")}}, Wasm: []Wasm{{Name: "w", Binary: []byte{0}, Binding: []byte("b")}},
			Limits: Limits{1, 2, 3, 4, 5, 6, 7}},
		&Reply{OK: true, Value: Raw{0xa1, 'x'}},
	}
}

func frameOf(t *testing.T, id uint64, m Message) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := NewWriter(&b).Send(id, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestEveryMessageSurvivesTheWireOneByteAtATime(t *testing.T) {
	seen := map[Op]bool{}
	for _, want := range append(samples(), &Reply{Error: ReplyError{"denied", "c", "m", "cap", "t", "h"}}) {
		r := NewReader(iotest.OneByteReader(bytes.NewReader(frameOf(t, 9, want))))
		f, err := r.Next(anySize)
		if err != nil {
			t.Fatalf("%s: %v", want.Op(), err)
		}
		got := reflect.New(reflect.TypeOf(want).Elem()).Interface().(Message)
		if err := f.Decode(got); err != nil {
			t.Fatal(err)
		}
		if f.ID != 9 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", want.Op(), got, want)
		}
		seen[want.Op()] = true
	}
	for _, op := range Ops() {
		if !seen[op] {
			t.Errorf("%s has no sample", op)
		}
	}
}

// Covers: T-RPC-02
func TestAFrameTruncatedAtAnyByteIsMalformed(t *testing.T) {
	refused := 0
	for _, m := range samples() {
		frame := frameOf(t, 1, m)
		for n := range frame {
			_, err := NewReader(bytes.NewReader(frame[:n])).Next(anySize)
			if n == 0 && err == io.EOF {
				continue
			}
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%s cut at %d: %v", m.Op(), n, err)
			}
			refused++
		}
	}
	t.Logf("attacks: either protocol frames cut at every byte %d %d", refused, refused)
}

// Covers: T-RPC-01
func TestHostilePayloadsAreRefusedBeforeDecoding(t *testing.T) {
	for name, p := range map[string][]byte{
		"array of 2^32-1":      {0xdd, 0xff, 0xff, 0xff, 0xff},
		"map of 2^32-1":        {0xdf, 0xff, 0xff, 0xff, 0xff},
		"string of 4 GiB":      {0xdb, 0xff, 0xff, 0xff, 0xff},
		"bytes of 4 GiB":       {0xc6, 0xff, 0xff, 0xff, 0xff, 1},
		"ext of 4 GiB":         {0xc9, 0xff, 0xff, 0xff, 0xff, 1},
		"reserved byte":        {0xc1},
		"two values":           {0xc0, 0xc0},
		"empty":                {},
		"5 MB of open arrays":  bytes.Repeat([]byte{0x91}, 5<<20),
		"deep maps":            bytes.Repeat([]byte{0x81, 0xc0}, 1<<20),
		"half a float":         {0xcb, 0, 0},
		"count without values": {0x95, 0xc0},
	} {
		if err := Scan(p); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDepthWithinTheLimitPassesAndOneMoreDoesNot(t *testing.T) {
	deep := func(n int) []byte { return append(bytes.Repeat([]byte{0x91}, n), 0xc0) }
	if err := Scan(deep(MaxDepth)); err != nil {
		t.Error(err)
	}
	if err := Scan(deep(MaxDepth + 1)); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

// place is a value within a body, and the field that it becomes.
type place struct {
	at, size int
	field    reflect.StructField
}

// places lists the value at a place of a body, and those within it.
func places(t *testing.T, body []byte, at int, field reflect.StructField) []place {
	t.Helper()
	n, err := scanValue(body[at:])
	if err != nil {
		t.Fatal(err)
	}
	all := []place{{at, n, field}}
	var parts []reflect.StructField
	switch of := field.Type; {
	case of == reflect.TypeFor[Raw]() || of == reflect.TypeFor[[]byte]():
	case of.Kind() == reflect.Struct:
		parts = reflect.VisibleFields(of)
	case of.Kind() == reflect.Slice || of.Kind() == reflect.Array:
		for range body[at] & 0xf { // of a short array
			parts = append(parts, reflect.StructField{Name: field.Name, Type: of.Elem()})
		}
	}
	at++
	for _, part := range parts {
		within := places(t, body, at, part)
		all, at = append(all, within...), at+within[0].size
	}
	return all
}

// takes reports whether value is of the type that field has on the wire.
func takes(field reflect.StructField, value []byte) bool {
	switch field.Type {
	case reflect.TypeFor[Raw]():
		return field.Name != "Input" || value[0] == 0x90 // which may be absent
	case reflect.TypeFor[[]byte]():
		return value[0] == 0xc4 || value[0] == 0xc0
	}
	switch field.Type.Kind() {
	case reflect.String:
		return value[0] == 0xa1 && value[1] == 'x'
	case reflect.Int64:
		return value[0] == 0x05 || value[0] == 0xff && (field.Name == "Length" || field.Name == "Protocol")
	case reflect.Bool:
		return value[0] == 0xc2
	case reflect.Slice:
		return value[0] == 0x90
	}
	return false
}

func TestAFieldOfAnotherTypeIsMalformed(t *testing.T) {
	tried := 0
	others := [][]byte{{0xc0}, {0xc2}, {0x05}, {0xff}, {0xa1, 'x'}, {0xc4, 1, 'x'}, {0x90}, {0x80}, {0xcb, 0, 0, 0, 0, 0, 0, 0, 0}, {0xd4, 1, 0}, {0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0xa1, 0xff}}
	for _, m := range samples() {
		body := frameOf(t, 1, m)[7:]
		of := reflect.StructField{Type: reflect.TypeOf(m).Elem()}
		if m.Op() == OpReply { // its error is not there
			of.Type = reflect.TypeOf(struct {
				OK    bool
				Value Raw
			}{})
		}
		for _, p := range places(t, body, 0, of) {
			for _, o := range others {
				b := slices.Concat(body[:p.at], o, body[p.at+p.size:])
				err := (Frame{Op: m.Op(), Body: b}).Decode(reflect.New(reflect.TypeOf(m).Elem()).Interface().(Message))
				if err == nil && !takes(p.field, o) || err != nil && !errors.Is(err, ErrMalformed) {
					t.Errorf("%s %s at %d took % x: %v", m.Op(), p.field.Name, p.at, o, err)
				}
				tried++
			}
		}
	}
	if !t.Failed() {
		t.Logf("attacks: either protocol fields of every other type %d %d", tried, tried)
	}
	if err := (Frame{Op: OpConsole, Body: []byte{0x92, 0xc0, 0xa0}}).Decode(&Console{}); !errors.Is(err, ErrMalformed) {
		t.Errorf("nil for a string: %v", err)
	}
	if err := (Frame{Op: OpFilesystemRead, Body: []byte{0x94, 0xa0, 0xcb, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0xc2}}).Decode(&FilesystemRead{}); !errors.Is(err, ErrMalformed) {
		t.Errorf("float for an integer: %v", err)
	}
}

// Covers: T-RPC-01
func TestListsAreBounded(t *testing.T) {
	long := make([]string, maxList+1)
	for _, m := range []Message{&SubprocessSpawn{Args: long}, &Failure{Pending: long}, &NetworkFetch{Headers: make([][2]string, maxList+1)}} {
		frame := frameOf(t, 1, m)
		into := reflect.New(reflect.TypeOf(m).Elem()).Interface().(Message)
		if err := (Frame{Op: m.Op(), Body: frame[7:]}).Decode(into); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", m.Op(), err)
		}
	}
}

func TestASizeAboveTheOwnersLimitIsRefusedUnread(t *testing.T) {
	frame := frameOf(t, 1, &Environment{Name: strings.Repeat("x", 100)})
	at := func(n int) func(Op) (int, error) { return func(Op) (int, error) { return n, nil } }
	if _, err := NewReader(bytes.NewReader(frame)).Next(at(len(frame) - 4)); err != nil {
		t.Error(err)
	}
	if _, err := NewReader(bytes.NewReader(frame)).Next(at(len(frame) - 5)); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

func TestTheBufferGrowsOnlyWithBytesThatArrive(t *testing.T) {
	head := []byte{0x3f, 0xff, 0xff, 0xff, 0x93, byte(OpResult)} // announces 1 GiB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := NewReader(bytes.NewReader(head)).Next(func(Op) (int, error) { return MaxFrameBytes, nil })
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrMalformed) || n > 2*growBytes {
		t.Errorf("%d bytes were made room for, %v", n, err)
	}
}

func FuzzFrame(f *testing.F) {
	for _, m := range samples() {
		var b bytes.Buffer
		_ = NewWriter(&b).Send(1, m)
		f.Add(b.Bytes())
	}
	f.Add([]byte{0, 0, 0, 9, 0x93, 1, 0, 0xdd, 0xff, 0xff, 0xff, 0xff, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		fr, err := NewReader(bytes.NewReader(b)).Next(anySize)
		if err != nil {
			return
		}
		for _, m := range samples() {
			if m.Op() == fr.Op {
				_ = fr.Decode(reflect.New(reflect.TypeOf(m).Elem()).Interface().(Message))
			}
		}
	})
}
