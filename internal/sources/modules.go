package sources

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

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
// directory with a package.json. Of a package it reads the entry and what source,
// or a file that is read, may import. Errors name the specifier and the path.
func (r *Reader) Modules(grants map[string]string, source []byte) ([]rpc.Module, error) {
	g := graph{reader: r, packages: map[string]*pack{}}
	for _, specifier := range slices.Sorted(maps.Keys(grants)) {
		if err := g.grant(specifier, grants[specifier]); err != nil {
			return nil, fmt.Errorf("modules: %q: %w", specifier, err)
		}
	}
	if err := g.reach(source); err != nil {
		return nil, fmt.Errorf("modules: %w", err)
	}
	return g.read, nil
}

// grant takes a file, or learns what files a package has.
func (g *graph) grant(specifier, name string) error {
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	if st.IsDir() {
		g.packages[specifier], err = g.reader.open(specifier, name)
		return err
	}
	source, err := g.reader.read(name)
	g.add(rpc.Module{Specifier: specifier, Path: filepath.Base(name), Source: source}, nil)
	return err
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
	if err := r.take(int64(len(data))); err != nil {
		return nil, err
	}
	return data, nil
}

// take counts what a run loads.
func (r *Reader) take(bytes int64) error {
	if r.bytes += bytes; r.bytes > MaxBytes {
		return fmt.Errorf("modules and wasm have more than %d bytes together", int64(MaxBytes))
	}
	return nil
}

var errNoManifest = errors.New("a directory is a package only with a package.json")
