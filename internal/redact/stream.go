package redact

import "io"

// Writer replaces secrets in a stream, also where one is cut by the border of two writes.
type Writer struct {
	redactor *Redactor
	dst      io.Writer
	held     []byte // the beginning of what may become a match
	scan     scan
}

// Writer returns a writer that passes to dst what is written to it, without the secrets. The end of the stream may
// be held back until Close.
func (r *Redactor) Writer(dst io.Writer) *Writer { return &Writer{redactor: r, dst: dst} }

// Write reports len(b) unless dst fails.
func (w *Writer) Write(b []byte) (int, error) {
	if w.redactor == nil {
		return w.dst.Write(b)
	}
	if err := w.pass(b, false); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close passes on what was held back. It does not close dst.
func (w *Writer) Close() error {
	if w.redactor == nil {
		return nil
	}
	return w.pass(nil, true)
}

// Found returns the names of the secrets that were replaced, sorted.
func (w *Writer) Found() []string { return w.redactor.found(w.scan) }

func (w *Writer) pass(b []byte, final bool) error {
	if len(w.held) > 0 {
		b = append(w.held, b...)
	}
	out, tail, rest := w.redactor.replace(b, final, &w.scan)
	out = append(out, tail...)
	w.held = append([]byte(nil), rest...)
	if len(out) == 0 {
		return nil
	}
	_, err := w.dst.Write(out)
	return err
}
