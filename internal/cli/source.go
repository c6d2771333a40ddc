package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"realm.internal/supervisor/pkg/supervisor"
)

const (
	maxSourceBytes = 16 << 20 // the largest maxCodeBytes; what is longer needs no grants to be refused
	maxInputBytes  = 64 << 20
)

// readSource returns the source at path and the name that stacks show for it.
func (a *app) readSource(path string) (text, name string, err error) {
	name = path
	var in io.Reader = a.In
	if path == "-" {
		name = "stdin.ts"
	} else {
		file, err := openFile(path)
		if err != nil {
			return "", "", err
		}
		defer file.Close()
		in = file
	}
	source, err := io.ReadAll(io.LimitReader(in, maxSourceBytes+1))
	switch {
	case err != nil:
		return "", "", fmt.Errorf("read %s: %w", path, err)
	case bytes.IndexByte(source, 0) >= 0 && !utf8.Valid(source):
		return "", "", fmt.Errorf("%s is a binary file, not JavaScript or TypeScript", path)
	case len(source) > maxSourceBytes:
		return "", "", &supervisor.Error{
			Code: supervisor.CodeValidation, Phase: "compile",
			Message: fmt.Sprintf("%s is longer than %d bytes, the most that maxCodeBytes can allow", path, maxSourceBytes),
		}
	}
	return string(source), filepath.Base(name), nil
}

// openFile opens a file that the user named, for reading. Pipes are welcome
// (a shell's process substitution is one).
func openFile(path string) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a directory")
	}
	if err != nil {
		file.Close()
		return nil, fileError(path, err)
	}
	return file, nil
}

// fileError says which file and, without the system call, why.
func fileError(path string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("cannot read %s: %w", path, err)
}

// readFile reads a whole file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return nil, fileError(path, err)
	case int64(len(text)) > limit:
		return nil, fmt.Errorf("cannot read %s: it is longer than %d bytes", path, limit)
	}
	return text, nil
}
