package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// Summary describes an intact log, or the intact lines before the first bad one.
type Summary struct {
	Records uint64 // lines
	Head    string // hash of the last record; [Genesis] for an empty log
	First   int64  // timestamp of the first record, Unix milliseconds
	Last    int64  // and of the last one
}

// Verify reads a log to its end and checks each line and the chain. The first
// bad line is a [*CorruptError]; every other error is the reader's. It keeps one
// line in memory, however hostile the input.
func Verify(r io.Reader) (Summary, error) { return verify(r, func(*Record) {}) }

func verify(r io.Reader, see func(*Record)) (Summary, error) {
	sum := Summary{Head: Genesis}
	lines := bufio.NewReaderSize(r, MaxLineBytes)
	for {
		text, err := lines.ReadSlice('\n')
		switch number := sum.Records + 1; {
		case err == io.EOF && len(text) == 0:
			return sum, nil
		case err == io.EOF:
			return sum, &CorruptError{Line: number, Reason: "unfinished: it has no newline", Torn: true}
		case err == bufio.ErrBufferFull:
			return sum, &CorruptError{Line: number, Reason: fmt.Sprintf("longer than %d bytes", MaxLineBytes)}
		case err != nil:
			return sum, fmt.Errorf("read audit log: %w", err)
		}
		record, err := parse(text[:len(text)-1])
		if err == nil {
			err = sum.follow(record)
		}
		if err != nil {
			var bad *CorruptError
			if errors.As(err, &bad) {
				bad.Line = sum.Records + 1
			}
			return sum, err
		}
		see(record)
	}
}

// follow adds the next record.
func (s *Summary) follow(r *Record) error {
	if err := (chain{s.Records, s.Head}).leads(r); err != nil {
		return err
	}
	if s.Records == 0 {
		s.First = r.Timestamp
	}
	s.Records, s.Head, s.Last = r.Seq, r.Hash, r.Timestamp
	return nil
}

// Head returns the hash of the last record of the log at path, [Genesis] when it
// is empty. It looks at the end alone: see [Verify] for the whole.
func Head(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular(): // whose opening may wait, too
		return "", fmt.Errorf("open %q: %w", path, ErrNotRegular)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	e, err := readEnd(file, info.Size())
	return e.head, err
}
