package broker

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"realm.internal/supervisor/pkg/rpc"
)

// floodFrames is how many messages over a limit are dropped before the realm
// is taken for hostile: its own side stops sending at the limit.
const floodFrames = 10_000

// MaxStatusBytes bounds stage and message of one status event: what is longer is cut. All of a run's together have as
// many bytes as its console.
const MaxStatusBytes = 8 << 10

// logBudget is what is left of the console's limits.
type logBudget struct {
	calls, bytes int64
	dropped      int64
}

func (b *Broker) console(f rpc.Frame) error {
	m := &rpc.Console{}
	if err := f.Decode(m); err != nil {
		return err
	}
	switch m.Level {
	case "log", "info", "warn", "error", "debug":
	default:
		return fmt.Errorf("%w: console level %.20q", ErrProtocol, m.Level)
	}
	l := &b.logs
	if l.calls == 0 || l.bytes < int64(len(m.Message)) {
		if l.calls > 0 && l.bytes > 0 {
			b.Events.Console(m.Level, b.beginning(m.Message[:l.bytes]))
		}
		l.calls, l.bytes = 0, 0 // what comes after a gap would mislead
		if l.dropped++; l.dropped > floodFrames {
			return fmt.Errorf("%w: console output goes on after its limit", ErrProtocol)
		}
		return nil
	}
	l.calls--
	l.bytes -= int64(len(m.Message))
	b.Events.Console(m.Level, b.Secrets.Diagnostics.Text(m.Message))
	return nil
}

// beginning is what a message that was cut still says: whole characters, and no part of a secret that the cut goes through.
func (b *Broker) beginning(text string) string {
	for r, n := utf8.DecodeLastRuneInString(text); r == utf8.RuneError && n == 1; r, n = utf8.DecodeLastRuneInString(text) {
		text = text[:len(text)-1]
	}
	var kept strings.Builder
	_, _ = b.Secrets.Diagnostics.Writer(&kept).Write([]byte(text)) // never closed: it holds back what could become a secret
	return kept.String()
}

func (b *Broker) status(f rpc.Frame) error {
	m := &rpc.Status{}
	if err := f.Decode(m); err != nil {
		return err
	}
	n := min(int64(len(m.Stage)), MaxStatusBytes) + min(int64(len(m.Message)), MaxStatusBytes)
	if n > b.statusBytes {
		b.statusBytes = 0 // what comes after a gap would mislead
	}
	if b.Budget.StatusEvent() != nil || b.statusBytes == 0 && n > 0 {
		if b.count.statusDropped.Add(1) > floodFrames+b.limits.MaxStatusEvents {
			return fmt.Errorf("%w: status events go on after their limit", ErrProtocol)
		}
		return nil
	}
	b.statusBytes -= n
	b.Events.Status(b.Secrets.Diagnostics.Text(m.Stage), b.Secrets.Diagnostics.Text(m.Message))
	return nil
}
