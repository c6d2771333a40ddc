package redact

import "slices"

// scan is the state of one search, kept across the pieces of a stream.
type scan struct {
	covered int   // bytes from here on that belong to matches already seen
	region  []int // names shown for the overlapping matches that we are in
	hits    []int // names shown at all
}

// replace returns b with its secrets replaced, in two parts so that text without a match is not copied. It stops
// where the end of b leaves a match open, unless final says that nothing follows: those bytes are the rest, which
// belongs at the start of the next piece.
func (r *Redactor) replace(b []byte, final bool, s *scan) (out, tail, rest []byte) {
	from := 0 // b[:from] is in out or replaced
	for i := 0; i < len(b); i++ {
		if s.covered == 0 {
			s.region = s.region[:0]
			i = r.skip(b, i)
		}
		if r.begins(b, i) {
			before := s.covered
			found, open := r.at(b[i:], final, s)
			if open {
				return out, b[from:i], b[i:]
			}
			if len(found) > 0 && before == 0 {
				out = append(out, b[from:i]...)
			}
			out = r.mark(out, found, s)
		}
		if s.covered > 0 {
			s.covered--
			from = i + 1
		}
	}
	return out, b[from:], nil
}

// skip returns the first place from i on at which a match can begin, at most the last byte of b.
func (r *Redactor) skip(b []byte, i int) int {
	for !r.begins(b, i) {
		i++
	}
	return i
}

// begins reports whether a match can begin at b[i], by the two bytes there.
func (r *Redactor) begins(b []byte, i int) bool {
	return i+1 == len(b) || r.pairs[int(b[i])<<2|int(b[i+1])>>6]>>(b[i+1]&63)&1 == 1
}

// at extends the region by the matches at the start of b and returns the names of those.
func (r *Redactor) at(b []byte, final bool, s *scan) (found []int, open bool) {
	covered := s.covered
	for _, f := range r.forms[b[0]] {
		n, more := f.match(b, final)
		if more {
			return nil, true
		}
		if n > 0 {
			covered = max(covered, n)
			found = append(found, f.name)
		}
	}
	s.covered = covered
	return found, false
}

// mark writes the names that this region does not show yet.
func (r *Redactor) mark(out []byte, found []int, s *scan) []byte {
	for _, name := range found {
		if slices.Contains(s.region, name) {
			continue
		}
		s.region, s.hits = append(s.region, name), append(s.hits, name)
		out = append(out, "[redacted:"...)
		out = append(out, r.names[name]...)
		out = append(out, ']')
	}
	return out
}

// found returns the names that were shown, sorted, each once.
func (r *Redactor) found(s scan) []string {
	slices.Sort(s.hits)
	var names []string
	for _, i := range slices.Compact(s.hits) {
		names = append(names, r.names[i])
	}
	slices.Sort(names)
	return slices.Compact(names)
}
