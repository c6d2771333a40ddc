package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"golang.org/x/sys/unix"
)

// serviceLogger writes to standard error. Under the journal, lines have no time of their own and begin with their
// priority, see sd-daemon(3).
func (a *app) serviceLogger(format, level string) (*slog.Logger, error) {
	options := &slog.HandlerOptions{}
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q is none of debug, info, warn, error", level)
	}
	options.Level = least
	_, journal := a.LookupEnv("JOURNAL_STREAM")
	if journal {
		options.ReplaceAttr = func(groups []string, at slog.Attr) slog.Attr {
			if at.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return at
		}
	}
	out := &bytes.Buffer{}
	var inner slog.Handler
	switch format {
	case "text":
		inner = slog.NewTextHandler(out, options)
	case "json":
		inner = slog.NewJSONHandler(out, options)
	default:
		return nil, fmt.Errorf("--log-format %q is neither text nor json", format)
	}
	return slog.New(&lineHandler{inner, &lineWriter{w: a.Err, buffer: out, journal: journal}}), nil
}

// lineWriter writes each line at once, with its priority in front under the journal.
type lineWriter struct {
	mu      sync.Mutex
	w       io.Writer
	buffer  *bytes.Buffer // what the inner handler writes a line to
	journal bool
}

// lineHandler wraps a handler that writes to the buffer.
type lineHandler struct {
	slog.Handler
	out *lineWriter
}

func (h *lineHandler) Handle(ctx context.Context, r slog.Record) error {
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	h.out.buffer.Reset()
	if h.out.journal {
		fmt.Fprintf(h.out.buffer, "<%d>", priority(r.Level))
	}
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	_, err := h.out.w.Write(h.out.buffer.Bytes())
	return err
}

func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &lineHandler{h.Handler.WithAttrs(attrs), h.out}
}

func (h *lineHandler) WithGroup(name string) slog.Handler {
	return &lineHandler{h.Handler.WithGroup(name), h.out}
}

// priority is the syslog priority of a level.
func priority(l slog.Level) int {
	switch {
	case l >= slog.LevelError:
		return 3
	case l >= slog.LevelWarn:
		return 4
	case l >= slog.LevelInfo:
		return 6
	}
	return 7
}

// monotonic is CLOCK_MONOTONIC in microseconds, as sd_notify(3) wants it of a reload.
func monotonic() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return now.Nano() / 1000
}
