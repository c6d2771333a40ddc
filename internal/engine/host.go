package engine

import (
	"errors"
	"unicode/utf8"

	"realm.internal/supervisor/internal/engine/prelude"
	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// host is what the guest's native functions reach. Sending fails only when the supervisor is gone, and then nothing matters.
type host struct {
	realm  *v8.Realm
	writer *rpc.Writer
	limits rpc.Limits
	linker *linker

	consoleCalls, logBytes, statusEvents int64
}

// maxDropped is how many status events above the limit are told, without their text, for the supervisor to count.
const maxDropped = 10_000

// Log sends at most one call and one character more than the limits allow, so that the supervisor sees that there was more.
func (h *host) Log(level, message string) {
	if h.writer == nil || h.consoleCalls > h.limits.MaxConsoleCalls || h.logBytes > h.limits.MaxLogBytes {
		return
	}
	message = cut(message, h.limits.MaxLogBytes-h.logBytes+utf8.UTFMax)
	h.consoleCalls++
	h.logBytes += int64(len(message))
	_ = h.writer.Send(0, &rpc.Console{Level: level, Message: message})
}

func (h *host) Status(stage, message string) {
	if h.writer == nil || h.statusEvents >= h.limits.MaxStatusEvents+maxDropped {
		return
	}
	if h.statusEvents++; h.statusEvents > h.limits.MaxStatusEvents {
		stage, message = "", ""
	}
	_ = h.writer.Send(0, &rpc.Status{Stage: cut(stage, maxStatusBytes), Message: cut(message, maxStatusBytes)})
}

func (h *host) Import(referrer, specifier, kind string) (v8.Module, error) {
	if h.linker == nil {
		return 0, errors.New("nothing can be imported here")
	}
	return h.linker.dynamic(referrer, specifier, kind)
}

func (h *host) ParseURL(input, base string, hasBase bool) (string, bool) {
	return prelude.ParseURL(input, base, hasBase)
}

func (h *host) SetURL(href, property, value string) string {
	return prelude.SetURL(href, property, value)
}

// maxStatusBytes bounds each text of a status event.
const maxStatusBytes = 8 << 10

// cut shortens s to at most n bytes of whole characters.
func cut(s string, n int64) string {
	if int64(len(s)) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:max(n, 0)]
}
