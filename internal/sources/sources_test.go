package sources

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
)

func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func specifiers(t *testing.T, m map[string]string) map[string]string {
	t.Helper()
	ms, err := (&Reader{}).Modules(m, []byte("import(everything)"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, x := range ms {
		got[x.Specifier] = x.Path
	}
	return got
}

func TestAPackageDirectoryBeginsWhereItsManifestSays(t *testing.T) {
	for name, c := range map[string]struct{ manifest, entry string }{
		"exports string":      {`{"exports":"./a.mjs"}`, "a.mjs"},
		"exports conditions":  {`{"exports":{".":{"require":"./c.cjs","import":"./a.mjs"}}}`, "a.mjs"},
		"module before main":  {`{"main":"c.cjs","module":"a.mjs"}`, "a.mjs"},
		"main":                {`{"main":"./c.cjs"}`, "c.cjs"},
		"main, shortened":     {`{"main":"./c"}`, "c.cjs"},
		"main, a directory":   {`{"main":"lib/sub/"}`, "lib/sub/index.js"},
		"nothing":             {`{}`, "index.js"},
		"conditions, no dots": {`{"exports":{"default":"./a.mjs"}}`, "a.mjs"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, t.TempDir(), map[string]string{"package.json": c.manifest, "a.mjs": "", "c.cjs": "", "index.js": "", "lib/x.js": "", "lib/sub/index.js": "",
				"readme.md": "", "types.d.ts": "", "node_modules/other/index.js": ""})
			got := specifiers(t, map[string]string{"pkg": dir})
			if got["pkg"] != c.entry || got["pkg/lib/x.js"] != "lib/x.js" {
				t.Errorf("%v", got)
			}
			for s := range got {
				if strings.Contains(s, "node_modules") || strings.Contains(s, "readme") || strings.Contains(s, ".d.ts") {
					t.Errorf("%s was read", s)
				}
			}
		})
	}
}

func TestSubpathExportsHaveTheirSpecifier(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{"package.json": `{"exports":{".":"./a.js","./fp":{"import":"./lib/fp.mjs"}}}`, "a.js": "", "lib/fp.mjs": ""})
	if got := specifiers(t, map[string]string{"pkg": dir}); got["pkg/fp"] != "lib/fp.mjs" {
		t.Errorf("%v", got)
	}
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo.js")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	noEntry := write(t, filepath.Join(dir, "p"), map[string]string{"package.json": `{"main":"gone.js"}`})
	for name, path := range map[string]string{"missing": dir + "/no.js", "fifo": fifo, "no manifest": dir, "no entry": noEntry} {
		_, err := (&Reader{}).Modules(map[string]string{"spec": path}, nil)
		if err == nil || !strings.Contains(err.Error(), `"spec"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (&Reader{}).Wasm([]grants.Wasm{{Name: "calc", WasmPath: dir + "/no.wasm"}}); err == nil || !strings.Contains(err.Error(), "calc") {
		t.Errorf("%v", err)
	}
}

func TestAManifestIsReadWithinTheLimits(t *testing.T) {
	fifo, huge := t.TempDir(), t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(fifo, "package.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	sparse := filepath.Join(write(t, huge, map[string]string{"package.json": ""}), "package.json")
	if err := os.Truncate(sparse, MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	// A program that many names import crosses to the realm as often.
	var exports []string
	for i := range 100 {
		exports = append(exports, fmt.Sprintf(`"./%d":"./index.js"`, i))
	}
	repeated := write(t, t.TempDir(), map[string]string{
		"package.json": `{"exports":{".":"./index.js",` + strings.Join(exports, ",") + `}}`, "index.js": strings.Repeat(" ", 1<<20),
	})
	for dir, want := range map[string]string{fifo: "is not a regular file", huge: "have more than", repeated: "have more than"} {
		done := make(chan error, 1)
		go func() {
			_, err := (&Reader{}).Modules(map[string]string{"pkg": dir}, nil)
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%q is not said: the read does not end", want)
		}
	}
}

func TestTheBytesOfARunAreBounded(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big.js")
	if err := os.WriteFile(big, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, MaxBytes); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Reader{}).Modules(map[string]string{"a": big}, nil); err != nil {
		t.Error(err)
	}
	if _, err := (&Reader{}).Modules(map[string]string{"a": big, "b": big}, nil); err == nil {
		t.Error("twice the limit was read")
	}
}

func TestOfAPackageWhatASourceLeadsToIsRead(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"package.json": `{"exports":{".":"./index.js","./sub":"./sub.js"}}`,
		"index.js":     `export * from './a.js'; export * from "./b"`, "a.js": `import '../a/nowhere.js'; const dot = x.split('.')`, "b.ts": "import('./deep/c.mjs')",
		"deep/c.mjs": `import "../sub.js"`, "sub.js": "1", "alone.js": "", "locale/en.js": "", "locale/de.js": "", "lazy.js": "import(`./locale/${x}.js`)",
		"joined.js": `require('./locale/' + x)`, "variable.js": "require(x)", "up/index.js": "require('..')", "other.js": `import z from "zod/lib"`,
	})
	zod := write(t, t.TempDir(), map[string]string{"package.json": `{}`, "index.js": "import './lib'", "lib.js": ""})
	every := "a.js alone.js b.ts deep/c.mjs index.js joined.js lazy.js locale/de.js locale/en.js other.js package.json sub.js up/index.js variable.js"
	for source, want := range map[string]string{
		``:                         "index.js",
		`import x from "pkg"`:      "a.js b.ts deep/c.mjs index.js sub.js",
		`import x from 'pkg/sub'`:  "index.js sub.js",
		"await import(`pkg/sub`)":  "index.js sub.js",
		`import 'pkg/alone.js'`:    "alone.js index.js",
		`import 'pkg/alone'`:       "alone.js index.js",
		`import 'pkg/up'`:          "a.js b.ts deep/c.mjs index.js sub.js up/index.js",
		`import 'pkg/none'`:        "index.js",
		`import './alone.js'`:      "index.js",
		`import(name)`:             every,
		"import(`pkg/${name}.js`)": every,
		`import 'pkg/lazy.js'`:     every,
		`import 'pkg/joined.js'`:   every,
		`import 'pkg/variable.js'`: every,
	} {
		ms, err := (&Reader{}).Modules(map[string]string{"pkg": dir, "zod": zod}, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range ms {
			if m.Package == "pkg" {
				got = append(got, m.Path)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %s, want %s", source, got, want)
		}
	}
	ms, err := (&Reader{}).Modules(map[string]string{"pkg": dir, "zod": zod}, []byte(`import 'pkg/other.js'`))
	if err != nil || !slices.ContainsFunc(ms, func(m rpc.Module) bool { return m.Specifier == "zod/lib.js" }) {
		t.Errorf("what a package imports of another is not read: %v", err)
	}
}
