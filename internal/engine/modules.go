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

// kindRequire is the kind by which the native part asks for what CommonJS requires.
const kindRequire = "require"

// linker compiles and links what a run may import: the capabilities and the granted modules. Everything else is refused.
type linker struct {
	realm        *v8.Realm
	granted      []rpc.Module
	capabilities v8.Module // -1 until it is imported
	compiled     map[string]v8.Module
	order        []string       // the names of what is compiled
	names        map[string]int // script name → index of granted
	specifiers   map[string]int
}

func newLinker(realm *v8.Realm, granted []rpc.Module) *linker {
	l := &linker{realm: realm, granted: granted, capabilities: -1}
	if len(granted) == 0 {
		return l
	}
	l.compiled, l.names, l.specifiers = map[string]v8.Module{}, map[string]int{}, map[string]int{}
	for i, m := range granted {
		l.names[l.label(i)] = i
		l.specifiers[m.Specifier] = i
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
	if kind != "" && kind != "json" && kind != kindRequire {
		return -1, &refused{message: fmt.Sprintf("cannot import %q as %q: json is the only type", specifier, kind)}
	}
	switch specifier {
	case "realm:capabilities", "fino:ai/sandbox/capabilities":
		if l.capabilities < 0 {
			l.capabilities = l.realm.PartModule("capabilities", capabilityExports)
		}
		return l.capabilities, nil
	}
	i, ok := l.find(referrer, specifier)
	if !ok {
		return -1, &refused{message: fmt.Sprintf("cannot import %q", specifier), hint: l.importHint(referrer, specifier)}
	}
	return l.load(i, kind)
}

// endings are what an import may leave out of a file's name.
var endings = [...]string{"", ".js", ".mjs", ".ts", ".mts", ".cjs", ".json", "/index.js", "/index.mjs", "/index.ts", "/index.cjs"}

// find looks a specifier up in the import map, or among the files of the package that asks.
func (l *linker) find(referrer, specifier string) (int, bool) {
	if !relative(specifier) {
		for _, ending := range endings {
			if i, ok := l.specifiers[specifier+ending]; ok {
				return i, true
			}
		}
		return -1, false
	}
	from, ok := l.names[referrer]
	if !ok || l.granted[from].Package == "" {
		return -1, false
	}
	at := path.Join(path.Dir(l.granted[from].Path), specifier)
	if at == "." { // the package itself, which begins where its manifest says
		i, ok := l.specifiers[l.granted[from].Package]
		return i, ok
	}
	for _, ending := range endings {
		i, ok := l.names[l.granted[from].Package+"/"+at+ending]
		if ok && l.granted[i].Package == l.granted[from].Package {
			return i, true
		}
	}
	return -1, false
}

func relative(specifier string) bool {
	return specifier == "." || specifier == ".." || strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../")
}

// load compiles a granted file once.
func (l *linker) load(i int, kind string) (v8.Module, *refused) {
	name := l.label(i)
	if m, ok := l.compiled[name]; ok {
		return m, nil
	}
	source, bad := newUserSource(name, l.granted[i].Source)
	if bad != nil {
		return -1, &refused{message: fmt.Sprintf("module %q: %s, see %d:%d", name, bad.message, bad.line, bad.column)}
	}
	m, status := l.compile(source, kind, path.Ext(l.granted[i].Path))
	if status != v8.OK {
		e := l.realm.Error()
		l.realm.Forget()
		e.Message += source.strange(e.Message, e.Line, e.Column)
		return -1, &refused{file: name, line: e.Line, column: e.Column, compile: &e}
	}
	before := len(l.order)
	l.compiled[name], l.order = m, append(l.order, name) // before its imports: they may lead back here
	no := l.link(m, name)
	if no != nil { // what it brought along may lead back to it, and is no more linked than it is
		for _, name := range l.order[before:] {
			delete(l.compiled, name)
		}
		l.order = l.order[:before]
	}
	return m, no
}

func (l *linker) compile(s userSource, kind, ext string) (v8.Module, v8.Status) {
	if kind == "json" || ext == ".json" {
		return l.realm.JSONModule(s.name, s.text)
	}
	if javascript(ext) || !typescript(ext) && !s.generic() {
		m, status := l.compileJS(s.name, s.text, ext)
		if status != v8.Syntax {
			return m, status
		}
		if refused := l.realm.Error(); tooDeep(&refused) {
			return m, status
		}
	}
	out, bad := strip(s.name, s.text)
	if bad != nil {
		return l.compileJS(s.name, s.text, ext)
	}
	l.realm.Forget()
	l.realm.SetMap(s.name, out.mappings)
	return l.compileJS(s.name, out.js, ext)
}

// compileJS tells CommonJS from a module: the text of a CommonJS file is the body of a function, which import and export are not.
func (l *linker) compileJS(name, js, ext string) (v8.Module, v8.Status) {
	switch ext {
	case ".cjs", ".cts":
		return l.realm.CommonJSModule(name, js)
	case ".mjs", ".mts":
		return l.realm.CompileModule(name, js)
	}
	if strings.Contains(js, "exports") || strings.Contains(js, "require(") {
		if m, status := l.realm.CommonJSModule(name, js); status != v8.Syntax {
			return m, status
		}
		l.realm.Forget()
	}
	return l.realm.CompileModule(name, js)
}

// dynamic answers import().
func (l *linker) dynamic(referrer, specifier, kind string) (v8.Module, error) {
	m, no := l.resolve(referrer, specifier, kind)
	if no != nil {
		return -1, no
	}
	return m, nil
}

// importHint says what to do instead.
func (l *linker) importHint(referrer, specifier string) string {
	if relative(specifier) {
		if from, ok := l.names[referrer]; ok && l.granted[from].Package != "" {
			return "the granted package " + l.granted[from].Package + " has no such file"
		}
		return "a program is one file: only files of a granted package can import their neighbours"
	}
	name := strings.TrimPrefix(specifier, "node:")
	switch name, _, _ = strings.Cut(name, "/"); name {
	case "process":
		return "await environment('NAME') of realm:capabilities reads a granted variable; a program ends by returning a value or throwing"
	case "fs", "path", "os", "child_process":
		return "realm:capabilities has readText, readBytes, list, stat, writeText, writeBytes, environment and spawn"
	case "http", "https", "net", "axios", "node-fetch", "undici":
		return "realm:capabilities has fetch and fetchText"
	case "crypto":
		return "crypto.getRandomValues and crypto.randomUUID are globals"
	case "buffer", "util":
		return "TextEncoder, TextDecoder and structuredClone are globals"
	}
	return fmt.Sprintf("what can be imported here is %s; the grant modules: {%q: PATH} would add it", strings.Join(l.known(), ", "), specifier)
}

// known lists what can be imported, shortened: a package has a specifier for each of its files.
func (l *linker) known() []string {
	known := []string{"realm:capabilities"}
	for _, m := range l.granted {
		if m.Package != "" && m.Specifier != m.Package {
			continue
		}
		if known = append(known, m.Specifier); len(known) == maxKnown {
			return append(known, "…")
		}
	}
	return known
}

const maxKnown = 20
