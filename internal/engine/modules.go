package engine

import (
	"fmt"
	"path"
	"strings"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// capabilityExports are the names that realm:capabilities exports.
var capabilityExports = []string{
	"environment", "secret", "readText", "readBytes", "list", "stat", "writeText", "writeBytes", "appendText", "makeDirectory", "remove",
	"fetchText", "fetch", "spawn", "request", "reportStatus", "SandboxDeniedError", "SandboxOperationError", "SandboxAbortedError",
}

// linker compiles and links what a run may import: the capabilities and the granted modules. Everything else is refused.
type linker struct {
	realm        *v8.Realm
	granted      []rpc.Module
	capabilities v8.Module // -1 until it is imported
	compiled     map[string]v8.Module
	names        map[string]int // script name → index of granted
}

func newLinker(realm *v8.Realm, granted []rpc.Module) *linker {
	l := &linker{realm: realm, granted: granted, capabilities: -1, compiled: map[string]v8.Module{}, names: map[string]int{}}
	for i := range granted {
		l.names[l.label(i)] = i
	}
	return l
}

// label is the name that stacks show for a granted file.
func (l *linker) label(i int) string {
	m := l.granted[i]
	if m.Package != "" {
		return m.Package + "/" + strings.TrimPrefix(m.Path, "/")
	}
	return m.Specifier
}

// refused says that an import cannot be, and where it stands.
type refused struct {
	message, hint string
	file          string
	line, column  int
	// compile is set when a granted module has an error of its own.
	compile *v8.Error
}

func (r *refused) Error() string {
	if r.compile != nil {
		return fmt.Sprintf("%s: %s", r.file, r.compile.Message)
	}
	if r.hint != "" {
		return r.message + ": " + r.hint
	}
	return r.message
}

// link resolves the imports of a compiled module, and theirs.
func (l *linker) link(m v8.Module, file string) *refused {
	for _, q := range l.realm.Requests(m) {
		target, no := l.resolve(file, q.Specifier, q.Type)
		if no != nil {
			if no.file == "" {
				no.file, no.line, no.column = file, q.Line, q.Column
			}
			return no
		}
		l.realm.Link(m, q.Specifier, target)
	}
	return nil
}

func (l *linker) resolve(referrer, specifier, kind string) (v8.Module, *refused) {
	switch specifier {
	case "realm:capabilities", "fino:ai/sandbox/capabilities":
		if l.capabilities < 0 {
			l.capabilities = l.realm.PartModule("capabilities", capabilityExports)
		}
		return l.capabilities, nil
	}
	i := l.find(referrer, specifier)
	if i < 0 {
		return -1, &refused{message: fmt.Sprintf("cannot import %q", specifier), hint: l.importHint(specifier)}
	}
	return l.load(i, kind)
}

// find looks a specifier up in the import map, or among the files of the package that asks.
func (l *linker) find(referrer, specifier string) int {
	if strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../") {
		from, ok := l.names[referrer]
		if !ok || l.granted[from].Package == "" {
			return -1
		}
		at := path.Join(path.Dir(l.granted[from].Path), specifier)
		for _, suffix := range []string{"", ".js", ".mjs", ".ts", ".mts", ".cjs", ".json", "/index.js", "/index.mjs", "/index.ts"} {
			for i, m := range l.granted {
				if m.Package == l.granted[from].Package && m.Path == at+suffix {
					return i
				}
			}
		}
		return -1
	}
	for i, m := range l.granted {
		if m.Specifier == specifier {
			return i
		}
	}
	return -1
}

// load compiles a granted file once.
func (l *linker) load(i int, kind string) (v8.Module, *refused) {
	name := l.label(i)
	if m, ok := l.compiled[name]; ok {
		return m, nil
	}
	source, bad := newUserSource(name, l.granted[i].Source)
	if bad != nil {
		return -1, &refused{message: fmt.Sprintf("module %q: %s", name, bad.message)}
	}
	m, status := l.compile(source, kind, path.Ext(l.granted[i].Path))
	if status != v8.OK {
		e := l.realm.Error()
		l.realm.Forget()
		return -1, &refused{file: name, line: e.Line, column: e.Column, compile: &e}
	}
	l.compiled[name] = m // before its imports: they may lead back here
	return m, l.link(m, name)
}

func (l *linker) compile(s userSource, kind, ext string) (v8.Module, v8.Status) {
	if kind == "json" || ext == ".json" {
		return l.realm.JSONModule(s.name, s.text)
	}
	if commonJS(s.text, ext) {
		return l.realm.CompileModule(s.name, fromCommonJS(s.text))
	}
	if !s.generic() {
		if m, status := l.realm.CompileModule(s.name, s.text); status != v8.Syntax {
			return m, status
		}
	}
	out, bad := strip(s.name, s.text)
	if bad != nil {
		return l.realm.CompileModule(s.name, s.text)
	}
	l.realm.Forget()
	l.realm.SetMap(s.name, out.mappings)
	return l.realm.CompileModule(s.name, out.js)
}

// dynamic answers import().
func (l *linker) dynamic(referrer, specifier, kind string) (v8.Module, error) {
	m, no := l.resolve(referrer, specifier, kind)
	if no != nil {
		return -1, no
	}
	return m, nil
}

func (l *linker) importHint(specifier string) string {
	name := strings.TrimPrefix(specifier, "node:")
	switch name, _, _ = strings.Cut(name, "/"); name {
	case "fs", "path", "os", "child_process", "process":
		return "realm:capabilities has readText, readBytes, list, stat, writeText, writeBytes, environment and spawn"
	case "http", "https", "net", "axios", "node-fetch", "undici":
		return "realm:capabilities has fetch and fetchText"
	case "crypto":
		return "crypto.getRandomValues and crypto.randomUUID are globals"
	case "buffer", "util":
		return "TextEncoder, TextDecoder and structuredClone are globals"
	}
	known := []string{"realm:capabilities"}
	for _, m := range l.granted {
		if m.Specifier != "" {
			known = append(known, m.Specifier)
		}
	}
	return "what can be imported here is " + strings.Join(known, ", ")
}
