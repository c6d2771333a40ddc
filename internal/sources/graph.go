package sources

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"realm.internal/supervisor/pkg/rpc"
)

// graph finds what may be imported without understanding the texts: whatever
// stands in quotes and names a file of a package is taken for an import of it.
// Where a name is put together at run time, all of the package is taken. Too much
// costs time, and what is left out after all is refused in the realm.
type graph struct {
	reader   *Reader
	packages map[string]*pack
	read     []rpc.Module
	texts    []text // not yet looked at
}

// text is a source and, when it is a package's, where it lies there.
type text struct {
	source []byte
	pack   *pack
	dir    string
}

func (g *graph) add(m rpc.Module, p *pack) {
	g.read = append(g.read, m)
	g.texts = append(g.texts, text{m.Source, p, path.Dir(m.Path)})
}

// reach reads what source leads to, and then the entries of packages that it
// does not lead to: what can be imported is told by them.
func (g *graph) reach(source []byte) error {
	if len(g.packages) == 0 {
		return nil
	}
	g.texts = append(g.texts, text{source: source})
	for len(g.texts) > 0 {
		t := g.texts[len(g.texts)-1]
		g.texts = g.texts[:len(g.texts)-1]
		if err := g.scan(t); err != nil {
			return err
		}
	}
	for _, p := range g.packages {
		if err := g.take(p, p.entries[p.name]); err != nil {
			return err
		}
	}
	return nil
}

// scan looks at what stands in quotes.
func (g *graph) scan(t text) error {
	if computes(t.source) {
		return g.takeMany(t.pack)
	}
	for at := 0; ; at++ {
		next := bytes.IndexAny(t.source[at:], "'\"`")
		if next < 0 {
			return nil
		}
		at += next
		name, whole := quoted(t.source[at:])
		p, file, ok := g.means(t, at, name)
		switch {
		case p != nil && !whole && strings.Contains(name, "/"):
			if err := g.takeMany(p); err != nil {
				return err
			}
		case ok:
			if err := g.take(p, file); err != nil {
				return err
			}
		}
	}
}

// means tells which file of which package a name, quoted at a place of a text,
// may mean.
func (g *graph) means(t text, at int, name string) (p *pack, file string, ok bool) {
	switch {
	case name == "." || name == "..":
		if t.pack == nil || !bytes.HasSuffix(bytes.TrimRight(t.source[:at], " "), []byte("require(")) {
			return nil, "", false
		}
		fallthrough
	case strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../"):
		if t.pack == nil {
			return nil, "", false
		}
		file, ok = t.pack.at(path.Join(t.dir, name))
		return t.pack, file, ok
	}
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '/') {
		if p := g.packages[name[:end]]; p != nil {
			file, ok = p.named(name)
			return p, file, ok
		}
	}
	return nil, "", false
}

// maxName bounds a specifier.
const maxName = 256

// quoted reads what begins with a quote. Not whole is what is only the beginning
// of a name that is put together at run time.
func quoted(s []byte) (name string, whole bool) {
	quote, s := s[0], s[1:min(len(s), maxName)]
	end := bytes.IndexByte(s, quote)
	if end < 0 || bytes.IndexByte(s[:end], '\n') >= 0 {
		return "", true
	}
	name = string(s[:end])
	if before, _, ok := strings.Cut(name, "${"); ok && quote == '`' {
		return before, false
	}
	return name, !bytes.HasPrefix(bytes.TrimLeft(s[end+1:], " \t\r\n"), []byte("+"))
}

// computes reports whether a text imports what no name in quotes tells.
func computes(s []byte) bool {
	for _, call := range [][]byte{[]byte("import("), []byte("require(")} {
		for rest := s; ; {
			_, after, ok := bytes.Cut(rest, call)
			if !ok {
				break
			}
			rest = after
			if next := bytes.TrimLeft(after, " \t\r\n"); len(next) > 0 && bytes.IndexByte([]byte("'\"`)"), next[0]) < 0 {
				return true
			}
		}
	}
	return false
}

// take reads a file of a package once.
func (g *graph) take(p *pack, file string) error {
	if p.files[file] {
		return nil
	}
	p.files[file] = true
	source, err := g.reader.read(filepath.Join(p.dir, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	specifiers := p.specifiers(file)
	g.add(rpc.Module{Specifier: specifiers[0], Package: p.name, Path: file, Source: source}, p)
	for _, s := range specifiers[1:] { // each has its own copy on the way to the realm
		if err := g.reader.take(int64(len(source))); err != nil {
			return err
		}
		g.read = append(g.read, rpc.Module{Specifier: s, Package: p.name, Path: file, Source: source})
	}
	return nil
}

// takeMany reads the whole of a package, or of all when p is nil.
func (g *graph) takeMany(p *pack) error {
	for _, each := range g.packages {
		if p != nil && each != p {
			continue
		}
		for _, file := range each.all() {
			if err := g.take(each, file); err != nil {
				return err
			}
		}
	}
	return nil
}
