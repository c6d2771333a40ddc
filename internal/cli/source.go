package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"unicode/utf8"

	"realm.internal/supervisor/pkg/supervisor"
)

const (
	maxSourceBytes = 16 << 20 // the largest maxCodeBytes; what is longer needs no grants to be refused
	maxInputBytes  = 64 << 20

	maxDocumentBytes = 1 << 20 // of grants and policies
)

// readSource returns the source at path and the name that stacks show for it.
func (a *app) readSource(path string) (text, name string, err error) {
	name = path
	if path == "-" {
		name = "stdin.ts"
	}
	in, err := a.open(path)
	if err != nil {
		return "", "", err
	}
	defer in.Close()
	source, err := io.ReadAll(io.LimitReader(in, maxSourceBytes+1))
	switch {
	case err != nil:
		return "", "", fmt.Errorf("read %s: %w", called(path), err)
	case bytes.IndexByte(source, 0) >= 0 && !utf8.Valid(source):
		return "", "", fmt.Errorf("%s is a binary file, not JavaScript or TypeScript", called(path))
	case len(source) > maxSourceBytes:
		return "", "", &supervisor.Error{
			Code: supervisor.CodeValidation, Phase: "compile",
			Message: fmt.Sprintf("%s is longer than %d bytes, the most that maxCodeBytes can allow", called(path), maxSourceBytes),
		}
	case blank(source):
		a.err.painted(yellow, "warning: "+called(path)+" is empty, and the value of nothing is undefined; a least program is an expression, such as 1 + 1")
	}
	return string(source), filepath.Base(name), nil
}

// byteOrderMark begins what some editors save, and means nothing.
const byteOrderMark = "\ufeff"

// blank reports whether there is nothing in text that anybody can see.
func blank(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark)))) == 0
}
