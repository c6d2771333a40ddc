package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"
)

// screen is an output stream that may end at a terminal or in a CI log. Text of
// guests reaches it through these methods, which make it harmless there.
type screen struct {
	w     io.Writer
	color bool
	guard bool // show control characters instead of sending them
	ci    bool // keep lines from being commands of a CI runner
	// records: audit records go here too, and no other line may look like one.
	records bool

	mu  sync.Mutex // whoever answers a run's data requests may write beside it
	err error      // the first write that failed
}

func newScreen(h Host, w io.Writer) *screen {
	terminal := isTerminal(w, term.IsTerminal)
	set := func(name string) bool {
		v, _ := h.LookupEnv(name)
		return v != "" && v != "false" && v != "0"
	}
	plain, _ := h.LookupEnv("NO_COLOR")
	dumb, _ := h.LookupEnv("TERM")
	ci := set("CI") || set("GITHUB_ACTIONS") || set("TF_BUILD") || set("TEAMCITY_VERSION")
	return &screen{
		w:     w,
		color: terminal && plain == "" && dumb != "dumb",
		guard: terminal || ci,
		ci:    ci,
	}
}

// text makes s harmless for this stream; on a pipe it is left alone.
func (s *screen) text(t string) string {
	if s.guard {
		t = visible(t)
	}
	if s.ci {
		t = inert(t)
	}
	if s.records {
		t = unlikeRecords(t)
	}
	return t
}

// line writes t, which a guest may have written, and a line end.
func (s *screen) line(t string) { s.write(s.text(t) + "\n") }

func (s *screen) linef(format string, args ...any) { s.line(fmt.Sprintf(format, args...)) }

// painted is line in a colour, where there are colours.
func (s *screen) painted(c paint, t string) { s.write(s.paint(c, s.text(t)) + "\n") }

// problem writes an error that is the user's or the host's.
func (s *screen) problem(message string) {
	s.write(s.paint(red, "supervisor: ") + s.text(message) + "\n")
}

// json writes v as one line. What terminals or CI runners could obey is escaped
// inside the strings, which changes the text but not what it means.
func (s *screen) json(v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	s.write(escapeJSON(b.String()))
	return nil
}

func (s *screen) write(t string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		_, s.err = io.WriteString(s.w, t)
	}
}

// broken is the first write error.
func (s *screen) broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// failed is broken, for the user. A reader that went away is none: it has what
// it wanted, and there is nobody left to tell.
func (s *screen) failed() error {
	err := s.broken()
	if err == nil || s.closed() {
		return nil
	}
	return fmt.Errorf("write output: %w", err)
}

// closed reports whether the reader went away.
func (s *screen) closed() bool { return errors.Is(s.broken(), syscall.EPIPE) }

type paint string

const (
	red    paint = "31"
	yellow paint = "33"
	faint  paint = "2"
	bold   paint = "1"
)

func (s *screen) paint(c paint, t string) string {
	if !s.color || t == "" {
		return t
	}
	return "\x1b[" + string(c) + "m" + t + "\x1b[0m"
}
