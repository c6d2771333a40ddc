package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// manifest is the part of a package.json that says where a package begins.
type manifest struct {
	Exports json.RawMessage `json:"exports"`
	Module  string          `json:"module"`
	Main    string          `json:"main"`
}

func (r *Reader) manifest(dir string) (manifest, error) {
	var m manifest
	text, err := r.read(filepath.Join(dir, "package.json"))
	if errors.Is(err, os.ErrNotExist) {
		return m, fmt.Errorf("%s: %w", dir, errNoManifest)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s/package.json: %w", dir, err)
	}
	return m, nil
}

// endings are what a manifest may leave out of its main file's name.
var endings = [...]string{"", ".js", ".cjs", ".mjs", "/index.js", "/index.cjs"}

// entries maps a package's files to the specifiers that import them.
func (m manifest) entries(specifier string, exists func(file string) bool) map[string][]string {
	names := map[string][]string{}
	add := func(sub, file string) {
		if file = path.Clean(strings.TrimPrefix(file, "./")); file != "." {
			names[file] = append(names[file], path.Join(specifier, sub))
		}
	}
	var subpaths map[string]json.RawMessage
	if json.Unmarshal(m.Exports, &subpaths) == nil {
		for sub, target := range subpaths {
			if strings.HasPrefix(sub, "./") && !strings.Contains(sub, "*") {
				add(sub, condition(target))
			}
		}
	}
	for _, ending := range endings {
		if file := path.Clean(m.main()) + ending; exists(file) {
			add("", path.Clean(file))
			break
		}
	}
	return names
}

// main is the file that the package's own name imports.
func (m manifest) main() string {
	target := m.Exports
	var subpaths map[string]json.RawMessage
	if json.Unmarshal(m.Exports, &subpaths) == nil && subpaths["."] != nil {
		target = subpaths["."]
	}
	for _, file := range []string{condition(target), m.Module, m.Main} {
		if file != "" {
			return file
		}
	}
	return "index.js"
}

// condition chooses among conditional exports as a bundler for the web would.
func condition(target json.RawMessage) string {
	var file string
	if json.Unmarshal(target, &file) == nil {
		return file
	}
	var cases map[string]json.RawMessage
	if json.Unmarshal(target, &cases) != nil {
		return ""
	}
	for _, name := range []string{"import", "module", "browser", "default", "require"} {
		if file := condition(cases[name]); file != "" {
			return file
		}
	}
	return ""
}
