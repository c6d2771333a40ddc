package prelude_test

import (
	"strings"
	"testing"

	"realm.internal/supervisor/internal/v8"
)

func TestUncaughtExceptionsOfCallbacksFailTheRun(t *testing.T) {
	const wait = "await new Promise((resolve) => setTimeout(resolve, 20));"
	for _, row := range []struct{ name, body, message string }{
		{"timer", "setTimeout(() => {\n  throw new RangeError('late');\n}, 1);" + wait, "late"},
		{"interval", "setInterval(() => {\n  throw new RangeError('again');\n}, 1);" + wait, "again"},
		{"microtask", "queueMicrotask(() => {\n  throw new RangeError('micro');\n});" + wait, "micro"},
		{"listener", "const t = new EventTarget(); t.addEventListener('x', () => {\n  throw new RangeError('heard');\n}); t.dispatchEvent(new Event('x'));" + wait, "heard"},
		{"abort handler", "const c = new AbortController(); c.signal.onabort = () => {\n  throw new RangeError('aborting');\n}; c.abort();" + wait, "aborting"},
		{"text in a timer", "setTimeout(() => {\n  throw 'words';\n}, 1);" + wait, "words"},
		{"text in a microtask", "queueMicrotask(() => {\n  throw 'words';\n});" + wait, "words"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := open(t, &host{})
			r.SetSource("guest.js")
			if status := r.RunFunction(row.body, false); status != v8.OK {
				t.Fatalf("run: status %d", status)
			}
			end := r.Loop()
			e := r.Error()
			if end != v8.Failed || e.Message != row.message {
				t.Fatalf("end %d: %+v", end, e)
			}
			if strings.Contains(e.Stack, "realm:") {
				t.Errorf("a frame of ours: %s", e.Stack)
			}
			if e.IsError && e.Line != 2 {
				t.Errorf("line %d, want 2\n%s", e.Line, e.Stack)
			}
		})
	}
}
