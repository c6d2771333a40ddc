package audit

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

// end is where a log stops.
type end struct {
	chain
	size  int64 // up to and with the last newline; with whole, of everything
	torn  int64 // bytes behind the last newline
	whole bool  // those bytes are an intact record that lacks only its newline
}

// maxWindow holds the last two lines and an unfinished one, however long.
const maxWindow = 3 * MaxLineBytes

// readEnd finds the last record of a log of the given size, and that it follows from the one before. It reads no more than three
// lines can be long, and usually 4 KiB: what lies before is for Verify.
func readEnd(r io.ReaderAt, size int64) (end, error) {
	const few = 4 << 10
	for window := int64(few); ; window = maxWindow {
		window = min(window, size)
		text := make([]byte, window)
		if _, err := r.ReadAt(text, size-window); err != nil && err != io.EOF {
			return end{}, err
		}
		e, enough, err := parseEnd(text, size)
		if err == nil && !enough && window == maxWindow && window < size {
			return end{}, &CorruptError{Offset: size - window, Reason: "longer than a record can be"}
		}
		if enough || window == size || window == maxWindow {
			return e, err
		}
	}
}

// parseEnd looks at the last bytes of a log. It answers enough when what it has to see of them lies inside text.
func parseEnd(text []byte, size int64) (e end, enough bool, err error) {
	begin := size - int64(len(text)) // of text, in the log
	at := bytes.LastIndexByte(text, '\n') + 1
	rest := text[at:]
	e.torn = int64(len(rest))
	e.size = size - e.torn
	bad := func(from int, reason string) error { return &CorruptError{Offset: begin + int64(from), Reason: reason} }
	if e.torn >= MaxLineBytes {
		return end{}, true, bad(at, "longer than a record can be")
	}
	// What may be a line begins behind a newline or where the log does.
	line := func(to int) (from int, inside bool) {
		from = bytes.LastIndexByte(text[:max(0, to-1)], '\n') + 1
		return from, from > 0 || begin == 0
	}
	e.chain = newChain()
	if at > 0 {
		from, inside := line(at)
		last, err := parse(text[from : at-1])
		if err != nil {
			return end{}, inside, placed(err, begin+int64(from))
		}
		before := newChain()
		if from > 0 {
			start, all := line(from)
			if !all {
				return e, false, nil
			}
			r, err := parse(text[start : from-1])
			if err != nil {
				return end{}, true, placed(err, begin+int64(start))
			}
			before = chain{r.Seq, r.Hash}
		} else if !inside {
			return e, false, nil
		}
		if err := before.leads(last); err != nil {
			return end{}, true, placed(err, begin+int64(from))
		}
		e.chain = chain{last.Seq, last.Hash}
	} else if begin > 0 {
		return e, false, nil
	}
	if len(rest) == 0 {
		return e, true, nil
	}
	if r, err := parse(rest); err == nil && e.chain.leads(r) == nil {
		return end{chain: chain{r.Seq, r.Hash}, size: size, torn: e.torn, whole: true}, true, nil
	}
	if !e.chain.unfinished(rest) {
		return end{}, true, bad(at, "behind the last newline is neither a record nor the beginning of the next")
	}
	return e, true, nil
}

// unfinished reports whether text is what a crash in the middle of a write leaves of the next record: its beginning, or zeros where
// the blocks were taken and not filled.
func (c chain) unfinished(text []byte) bool {
	text = bytes.TrimRight(text, "\x00")
	begins := strconv.AppendUint([]byte(`{"seq":`), c.seq+1, 10)
	begins = append(begins, `,"timestamp":`...)
	n := min(len(text), len(begins))
	return bytes.Equal(text[:n], begins[:n]) && !json.Valid(text)
}
