package supervisor_test

import (
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/supervisor"
)

// lack is something that an older engine cannot do.
type lack struct {
	source  string // what a newer one does
	message string // how the older one refuses it
}

// lacks names what engines before V8 11 cannot do. Tests ask for nothing else
// less of them; what a snippet needs is in examples/snippets/expected.json.
var lacks = map[string]lack{
	"import attributes":        {`import 'realm:capabilities' with { type: 'json' }; export default 1`, "Unexpected token 'with'"},
	"using":                    {`{ using x = { [Symbol.dispose]() {} } } 1`, "not disposable"},
	"arrays changed by copy":   {`[2, 1].toSorted()`, "toSorted is not a function"},
	"grouping":                 {`Object.groupBy([1], n => n)`, "groupBy is not a function"},
	"set operations":           {`new Set([1]).union(new Set([2]))`, "union is not a function"},
	"iterator helpers":         {`[1].values().map(n => n).toArray()`, "map is not a function"},
	"asynchronous Array.from":  {`await Array.fromAsync([1])`, "fromAsync is not a function"},
	"promises with resolvers":  {`Promise.withResolvers().resolve(1)`, "withResolvers is not a function"},
	"resizable buffers":        {`new ArrayBuffer(1, { maxByteLength: 2 }).resize(2)`, "resize is not a function"},
	"transferable buffers":     {`new ArrayBuffer(1).transfer()`, "transfer is not a function"},
	"sets of characters":       {`/[a--b]/v.test('a')`, "Invalid regular expression flags"},
	"well-formed strings":      {`'\ud800'.toWellFormed()`, "toWellFormed is not a function"},
	"escaping of expressions":  {`RegExp.escape('.')`, "escape is not a function"},
	"duplicate named groups":   {`/(?<a>x)|(?<a>y)/.test('x')`, "Duplicate capture group name"},
	"modifiers of expressions": {`/(?i:a)/.test('A')`, "Invalid group"},
	"promises that try":        {`Promise.try(() => 1)`, "try is not a function"},
}

// engine is the major version of V8 in the realm.
func engine(t testing.TB) string {
	t.Helper()
	major, _, _ := strings.Cut(succeed(t, `1`).Receipt.Realm.V8, ".")
	return major
}

// lacksAttributes reports whether the source has import attributes and the
// engine, as the data has it, refuses them.
func lacksAttributes(t testing.TB, source string, changes ...change) bool {
	t.Helper()
	if !strings.Contains(source, "with: {") && !strings.Contains(source, " with {") || engine(t) != "10" {
		return false
	}
	if strings.Contains(source, "with: {") { // it ignores those of a dynamic import
		return false
	}
	_, e := fails(t, supervisor.ErrValidation, source, changes...)
	contains(t, e.Message, lacks["import attributes"].message)
	return true
}

func TestWhatOlderEnginesLackIsKnown(t *testing.T) {
	t.Parallel()
	older := engine(t) == "10"
	for name, l := range lacks {
		_, err := run(t, l.source)
		e := supervisor.AsError(err)
		switch {
		case older && (err == nil || !strings.Contains(e.Message, l.message)):
			t.Errorf("%s: %v, want %q", name, err, l.message)
		case !older && err != nil:
			t.Errorf("%s: %v", name, err)
		}
	}
}
