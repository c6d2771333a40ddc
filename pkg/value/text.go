package value

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

// What Text shows at most. The command line has --json for the whole.
const (
	textDepth  = 8
	textItems  = 100
	textString = 10_000
	textWidth  = 76
	textBytes  = 1 << 20
)

// Text returns v as a JavaScript console would show it: a string raw and whole,
// anything else on one line where that is short, indented where it is not.
// Objects nested deeper than 8, items beyond 100 and strings beyond 10 000 bytes
// are summed up, and nothing but a string exceeds about 1 MiB. Inside quotes and
// everywhere else but in a raw string control characters are escaped.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case String16:
		return v.String()
	}
	return (&texter{left: textBytes}).value(v, 0)
}

type texter struct {
	left int // bytes that may still be written
	open []unsafe.Pointer
}

func (t *texter) value(v any, depth int) string {
	if t.left <= 0 {
		return "…"
	}
	t.left -= 2 // brackets and commas: shared references could repeat them without end
	s := t.show(v, depth)
	switch v.(type) {
	case *Object, []any, *Map, *Set, *SparseArray, *Error: // their parts are counted
	default:
		t.left -= len(s)
	}
	return s
}

func (t *texter) show(v any, depth int) string {
	if nilPointer(v) {
		return "null"
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return numberText(v)
	case string:
		return quote(v)
	case String16:
		return quote(generalised(v))
	case *big.Int:
		return bigText(v) + "n"
	case time.Time:
		return dateText(v)
	case fmt.Stringer: // Undefined, Hole, InvalidDate, *RegExp
		return escapeControls(v.String())
	case []byte:
		return t.buffer("Uint8Array", v, 1)
	case *ArrayBuffer:
		return fmt.Sprintf("ArrayBuffer { byteLength: %d }", len(v.Bytes))
	case *TypedArray:
		return t.buffer(v.Kind, v.Bytes, elementSize(v.Kind))
	case *Object:
		return t.inside(unsafe.Pointer(v), "[Object]", depth, func() string { return t.object(v, depth) })
	case []any:
		return t.inside(unsafe.Pointer(unsafe.SliceData(v)), "[Array]", depth, func() string { return t.array(v, depth) })
	case *SparseArray:
		return t.inside(unsafe.Pointer(v), "[Array]", depth, func() string { return t.sparse(v, depth) })
	case *Map:
		return t.inside(unsafe.Pointer(v), "[Map]", depth, func() string { return t.mapEntries(v, depth) })
	case *Set:
		return t.inside(unsafe.Pointer(v), "[Set]", depth, func() string { return t.set(v, depth) })
	case *Error:
		return t.inside(unsafe.Pointer(v), "[Error]", depth, func() string { return t.error(v, depth) })
	}
	return t.foreign(v, depth)
}

// foreign shows other Go types through the wire form.
func (t *texter) foreign(v any, depth int) string {
	b, err := Encode(v)
	if err == nil {
		if v, err = Decode(b, Limits{}); err == nil {
			return t.show(v, depth)
		}
	}
	return fmt.Sprintf("[%T]", v)
}

// inside shows a container unless it is open already or too deep.
func (t *texter) inside(p unsafe.Pointer, short string, depth int, show func() string) string {
	for _, open := range t.open {
		if open == p {
			return "[Circular]"
		}
	}
	if depth > textDepth {
		return short
	}
	t.open = append(t.open, p)
	defer func() { t.open = t.open[:len(t.open)-1] }()
	return show()
}

func (t *texter) object(o *Object, depth int) string {
	return t.layout("", "{", "}", t.members(o, depth), depth)
}

func (t *texter) members(o *Object, depth int) []string {
	var parts []string
	for _, m := range o.members {
		if t.full(&parts, len(o.members)) {
			break
		}
		key := m.Key
		if !isIdentifier(key) {
			key = quote(key)
		}
		t.left -= len(key)
		parts = append(parts, key+": "+t.value(m.Value, depth+1))
	}
	return parts
}

// full reports that no further item fits, and says how many are left out.
func (t *texter) full(parts *[]string, n int) bool {
	if shown := len(*parts); shown >= textItems || t.left <= 0 {
		*parts = append(*parts, more(n-shown))
		return true
	}
	return false
}

func more(n int) string {
	if n == 1 {
		return "... 1 more item"
	}
	return fmt.Sprintf("... %d more items", n)
}

func (t *texter) array(a []any, depth int) string {
	var parts []string
	for i := 0; i < len(a); i++ {
		if len(parts) >= textItems || t.left <= 0 {
			parts = append(parts, more(len(a)-i))
			break
		}
		holes := 0
		for i < len(a) && a[i] == Hole {
			holes++
			i++
		}
		if holes > 0 {
			parts = append(parts, empty(holes))
			i--
			continue
		}
		parts = append(parts, t.value(a[i], depth+1))
	}
	return t.layout("", "[", "]", parts, depth)
}

func empty(n int) string {
	if n == 1 {
		return "<1 empty item>"
	}
	return fmt.Sprintf("<%d empty items>", n)
}

func (t *texter) sparse(s *SparseArray, depth int) string {
	var parts []string
	next := uint32(0)
	for i, el := range s.Elements {
		if len(parts) >= textItems || t.left <= 0 {
			return t.layout("", "[", "]", append(parts, more(len(s.Elements)-i)), depth)
		}
		if el.Index > next {
			parts = append(parts, empty(int(el.Index-next)))
		}
		parts = append(parts, t.value(el.Value, depth+1))
		next = el.Index + 1
	}
	if s.Length > next {
		parts = append(parts, empty(int(s.Length-next)))
	}
	return t.layout("", "[", "]", parts, depth)
}

func (t *texter) mapEntries(m *Map, depth int) string {
	var parts []string
	for _, e := range m.Entries {
		if t.full(&parts, len(m.Entries)) {
			break
		}
		parts = append(parts, t.value(e.Key, depth+1)+" => "+t.value(e.Value, depth+1))
	}
	return t.layout(fmt.Sprintf("Map(%d) ", len(m.Entries)), "{", "}", parts, depth)
}

func (t *texter) set(s *Set, depth int) string {
	var parts []string
	for _, v := range s.Values {
		if t.full(&parts, len(s.Values)) {
			break
		}
		parts = append(parts, t.value(v, depth+1))
	}
	return t.layout(fmt.Sprintf("Set(%d) ", len(s.Values)), "{", "}", parts, depth)
}

func (t *texter) buffer(kind string, data []byte, size int) string {
	if kind == "DataView" || size == 0 {
		return fmt.Sprintf("%s { byteLength: %d }", escapeControls(kind), len(data))
	}
	view := &TypedArray{Kind: kind, Bytes: data}
	n := len(data) / size
	var parts []string
	for i := range n {
		if t.full(&parts, n) {
			break
		}
		parts = append(parts, view.element(i, size))
	}
	return t.layout(fmt.Sprintf("%s(%d) ", kind, n), "[", "]", parts, 0)
}

func (t *texter) error(e *Error, depth int) string {
	head := e.Stack
	if head == "" {
		head = "[" + e.Error() + "]"
	}
	if len(head) > textString {
		head = cut(head, textString) + "…"
	}
	head = indent(escapeControls(head), depth)
	t.left -= len(head)
	var parts []string
	if e.Fields != nil {
		parts = t.members(e.Fields, depth)
	}
	if e.Cause != nil {
		parts = append(parts, "[cause]: "+t.value(e.Cause, depth+1))
	}
	if e.Errors != nil {
		parts = append(parts, "[errors]: "+t.value(e.Errors, depth+1))
	}
	if len(parts) == 0 {
		return head
	}
	return t.layout(head+" ", "{", "}", parts, depth)
}

// layout joins parts on one line, or one a line; short ones share lines in a
// long list.
func (t *texter) layout(prefix, left, right string, parts []string, depth int) string {
	if len(parts) == 0 {
		return prefix + left + right
	}
	total, longest, lines := len(prefix), 0, strings.Contains(prefix, "\n")
	for _, p := range parts {
		total += len(p) + 2
		longest = max(longest, len(p))
		lines = lines || strings.Contains(p, "\n")
	}
	if !lines && total+2*depth <= textWidth {
		return prefix + left + " " + strings.Join(parts, ", ") + " " + right
	}
	pad := "\n" + strings.Repeat("  ", depth+1)
	var b strings.Builder
	b.WriteString(prefix + left)
	column := textWidth
	for i, p := range parts {
		if column += len(p) + 2; left == "[" && !lines && longest <= 16 && column < textWidth {
			b.WriteString(" ")
		} else {
			b.WriteString(pad)
			column = len(pad) + len(p)
		}
		b.WriteString(p)
		if i < len(parts)-1 {
			b.WriteString(",")
		}
	}
	b.WriteString("\n" + strings.Repeat("  ", depth) + right)
	return b.String()
}

func indent(s string, depth int) string {
	return strings.ReplaceAll(s, "\n", "\n"+strings.Repeat("  ", depth))
}

func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
