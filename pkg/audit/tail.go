package audit

import (
	"bytes"
	"io"
)

// end is where a log stops.
type end struct {
	chain
	size  int64 // up to and with the last newline; with whole, of everything
	torn  int64 // bytes behind the last newline
	whole bool  // those bytes are an intact record that lacks only its newline
}

// readEnd finds the last record of a log of the given size. It reads no more
// than the last two lines can be long, and usually 4 KiB.
func readEnd(r io.ReaderAt, size int64) (end, error) {
	const few = 4 << 10
	for window := int64(few); ; window = 2 * MaxLineBytes {
		window = min(window, size)
		text := make([]byte, window)
		if _, err := r.ReadAt(text, size-window); err != nil && err != io.EOF {
			return end{}, err
		}
		e, enough, err := parseEnd(text, size)
		if enough || window == size || window == 2*MaxLineBytes {
			return e, err
		}
	}
}

// parseEnd looks at the last bytes of a log. It answers enough when the last
// whole line lies inside text, or an unfinished line does that is a record.
func parseEnd(text []byte, size int64) (e end, enough bool, err error) {
	last := bytes.LastIndexByte(text, '\n')
	rest := text[last+1:]
	e.torn = int64(len(rest))
	if e.torn >= MaxLineBytes {
		return end{}, true, &CorruptError{Reason: "longer than a record can be"}
	}
	if len(rest) > 0 && (last >= 0 || int64(len(text)) == size) {
		if r, err := parse(rest); err == nil {
			return end{chain: chain{r.Seq, r.Hash}, size: size, torn: e.torn, whole: true}, true, nil
		}
	}
	e.size = size - e.torn
	if last < 0 {
		e.chain = newChain()
		return e, int64(len(text)) == size, nil
	}
	first := bytes.LastIndexByte(text[:last], '\n')
	line := text[first+1 : last]
	r, err := parse(line)
	if err != nil {
		return end{}, first >= 0, err
	}
	e.chain = chain{r.Seq, r.Hash}
	return e, true, nil
}
