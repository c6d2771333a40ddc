package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// writerPatience is how long the writer of a named pipe may take to come.
const writerPatience = 5 * time.Second

// named is a file that the user named, and where.
type named struct{ where, path string }

// oneStdin refuses a second reader of standard input, before the first one takes it.
func oneStdin(files ...named) error {
	first := ""
	for _, f := range files {
		switch {
		case f.path != "-":
		case first != "":
			return fmt.Errorf("%s and %s both read standard input, which can be read once: name a file for one of them", first, f.where)
		default:
			first = f.where
		}
	}
	return nil
}

// called is what messages call the file at path.
func called(path string) string {
	switch path {
	case "-":
		return "standard input"
	case "":
		return `""`
	}
	return path
}

// open opens what the user named for reading: a file, a pipe, or "-" for standard input.
func (a *app) open(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(a.In), nil
	}
	return openFile(path)
}

// stat describes what open would open, nil where standard input is no file.
func (a *app) stat(path string) (fs.FileInfo, error) {
	if path != "-" {
		return os.Stat(path)
	}
	if file, ok := a.In.(*os.File); ok {
		return file.Stat()
	}
	return nil, nil
}

// openFile opens a file or a pipe, which a shell's process substitution is one of. It never waits for a pipe that nobody writes.
func openFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fileError(path, err)
	case info.IsDir():
		return nil, fileError(path, errors.New("it is a directory"))
	case info.Mode()&fs.ModeDevice != 0:
		return nil, fileError(path, errors.New("it is a device; standard input is called -"))
	case info.Mode()&fs.ModeSocket != 0:
		return nil, fileError(path, errors.New("it is a socket"))
	case info.Mode()&fs.ModeNamedPipe != 0:
		return openPipe(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	return file, nil
}

// openPipe waits for the writer of a pipe, but not for ever.
func openPipe(path string) (*os.File, error) {
	type answer struct {
		file *os.File
		err  error
	}
	opened := make(chan answer, 1)
	go func() {
		file, err := os.Open(path)
		opened <- answer{file, err}
	}()
	select {
	case a := <-opened:
		if a.err != nil {
			return nil, fileError(path, a.err)
		}
		return a.file, nil
	case <-time.After(writerPatience):
		return nil, fileError(path, fmt.Errorf("it is a pipe that nobody has opened for writing within %v", writerPatience))
	}
}

// fileError says which file and, without the system call, why.
func fileError(path string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("cannot read %s: %w", called(path), err)
}

// read reads a whole file of at most limit bytes.
func (a *app) read(path string, limit int64) ([]byte, error) {
	file, err := a.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return nil, fileError(path, err)
	case int64(len(text)) > limit:
		return nil, fileError(path, fmt.Errorf("it is longer than %d bytes", limit))
	}
	return text, nil
}
