package sources

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pack is a granted directory.
type pack struct {
	name, dir string
	files     map[string]bool     // its sources, and whether they have been read
	names     map[string][]string // by file, the specifiers that its manifest gives
	entries   map[string]string   // the same the other way round
}

// open lists every source file of a package. Links and nested packages
// (node_modules) are left out: a package grants itself alone.
func (r *Reader) open(name, dir string) (*pack, error) {
	m, err := r.manifest(dir)
	if err != nil {
		return nil, err
	}
	p := &pack{name: name, dir: dir, files: map[string]bool{}, entries: map[string]string{}}
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return fs.SkipDir
		case !d.Type().IsRegular() || !isSource(d.Name()):
			return nil
		}
		rel, err := filepath.Rel(dir, file)
		p.files[filepath.ToSlash(rel)] = false
		return err
	})
	if err != nil {
		return nil, err
	}
	p.names = m.entries(name, func(file string) bool { _, ok := p.files[file]; return ok })
	for file, specifiers := range p.names {
		for _, s := range specifiers {
			p.entries[s] = file
		}
	}
	if _, ok := p.files[p.entries[name]]; !ok {
		return nil, fmt.Errorf("%s has no entry file: package.json names %q", dir, m.main())
	}
	return p, nil
}

// importEndings are what an import may leave out, as the realm resolves it.
var importEndings = [...]string{"", ".js", ".mjs", ".ts", ".mts", ".cjs", ".json", "/index.js", "/index.mjs", "/index.ts", "/index.cjs"}

// at is the file that a path from the package's root means.
func (p *pack) at(name string) (string, bool) {
	if name == "." {
		return p.entries[p.name], true
	}
	for _, ending := range importEndings {
		if _, ok := p.files[name+ending]; ok {
			return name + ending, true
		}
	}
	return "", false
}

// named is the file that a specifier means.
func (p *pack) named(specifier string) (string, bool) {
	if file, ok := p.entries[specifier]; ok {
		return file, true
	}
	return p.at(strings.TrimPrefix(specifier, p.name+"/"))
}

// specifiers are those by which programs import a file.
func (p *pack) specifiers(file string) []string {
	if s := p.names[file]; len(s) > 0 {
		return s
	}
	return []string{p.name + "/" + file}
}

// all are the files in their order.
func (p *pack) all() []string {
	var all []string
	for file := range p.files {
		all = append(all, file)
	}
	slices.Sort(all)
	return all
}

func isSource(name string) bool {
	if strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".d.mts") || strings.HasSuffix(name, ".d.cts") {
		return false
	}
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json":
		return true
	}
	return false
}
