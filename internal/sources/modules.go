package sources

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"realm.internal/supervisor/pkg/rpc"
)

// What one run may load altogether.
const (
	MaxBytes = 64 << 20
	MaxFiles = 4096
)

// Reader reads files until the limits of a run are reached. The zero Reader is
// ready.
type Reader struct {
	bytes int64
	files int
}

// Modules reads an import map: each specifier names one source file, or a
// directory with a package.json. Errors name the specifier and the path.
func (r *Reader) Modules(grants map[string]string) ([]rpc.Module, error) {
	var all []rpc.Module
	for _, specifier := range slices.Sorted(maps.Keys(grants)) {
		name := grants[specifier]
		st, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("modules: %q: %w", specifier, err)
		}
		read := r.file
		if st.IsDir() {
			read = r.directory
		}
		ms, err := read(specifier, name)
		if err != nil {
			return nil, fmt.Errorf("modules: %q: %w", specifier, err)
		}
		all = append(all, ms...)
	}
	return all, nil
}

func (r *Reader) file(specifier, name string) ([]rpc.Module, error) {
	source, err := r.read(name)
	return []rpc.Module{{Specifier: specifier, Path: filepath.Base(name), Source: source}}, err
}

// directory reads every source file of a package. Links and nested packages
// (node_modules) are left out: a package grants itself alone.
func (r *Reader) directory(specifier, dir string) ([]rpc.Module, error) {
	manifest, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	names := manifest.entries(specifier, func(file string) bool {
		st, err := os.Lstat(filepath.Join(dir, file))
		return err == nil && st.Mode().IsRegular()
	})
	var all []rpc.Module
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return fs.SkipDir
		case !d.Type().IsRegular() || !isSource(d.Name()):
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		source, err := r.read(p)
		if err != nil {
			return err
		}
		specifiers := names[rel]
		if len(specifiers) == 0 {
			specifiers = []string{specifier + "/" + rel}
		}
		for _, s := range specifiers {
			all = append(all, rpc.Module{Specifier: s, Package: specifier, Path: rel, Source: source})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(m rpc.Module) bool { return m.Specifier == specifier }) {
		return nil, fmt.Errorf("%s has no entry file: package.json names %q", dir, manifest.main())
	}
	return all, nil
}

func isSource(name string) bool {
	if strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".d.mts") {
		return false
	}
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".json":
		return true
	}
	return false
}

// read reads one regular file within the limits.
func (r *Reader) read(name string) ([]byte, error) {
	if r.files++; r.files > MaxFiles {
		return nil, fmt.Errorf("more than %d files", MaxFiles)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes-r.bytes+1))
	if err != nil {
		return nil, err
	}
	if r.bytes += int64(len(data)); r.bytes > MaxBytes {
		return nil, fmt.Errorf("modules and wasm have more than %d bytes together", int64(MaxBytes))
	}
	return data, nil
}

var errNoManifest = errors.New("a directory is a package only with a package.json")
