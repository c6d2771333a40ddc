package grants

import (
	"fmt"
	"strings"
)

// The capabilities as denials, audit records and guests name them.
const (
	CapabilityEnvironment     = "environment"
	CapabilitySecret          = "secret"
	CapabilityFilesystemRead  = "filesystem.read"
	CapabilityFilesystemWrite = "filesystem.write"
	CapabilityNetwork         = "network"
	CapabilitySubprocess      = "subprocess"
	CapabilityTool            = "tool"

	ResourceOperations   = "resource.operations"
	ResourceBytes        = "resource.bytes"
	ResourceDataRequests = "resource.dataRequests"
	ResourceDataBytes    = "resource.dataBytes"
	ResourceStatusEvents = "resource.statusEvents"
)

// Denial is a refused operation or an exhausted limit. It tells the guest what the grants say and nothing about the host.
type Denial struct {
	Capability string // what was asked for: "filesystem.read", "resource.operations"
	Target     string // on what, as the guest named it; see Target
	Rule       string // why not
	Hint       string // the narrowest grants fragment that would allow it, or what to do instead; may be ""
}

// Error names capability, target and rule.
func (d *Denial) Error() string {
	if d.Target == "" {
		return d.Capability + " denied: " + d.Rule
	}
	return fmt.Sprintf("%s of %q denied: %s", d.Capability, d.Target, d.Rule)
}

// Target is what a denial names, as valid UTF-8 and at most as long as a URL may be: secrets are taken out of it before it is
// shortened to be shown.
func Target(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxURL)], "\uFFFD") }

// maxShown bounds how much of a guest's string is repeated in messages.
const maxShown = 256

// Shorten cuts text from a guest to a length that is fit for messages, and makes it valid UTF-8.
func Shorten(text string) string {
	if len(text) <= maxShown {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// ExceededBytes is the denial of an operation that needs more bytes than the limit under key allows. A need that is
// not known is given as 0; the hint then doubles the limit.
func ExceededBytes(target, key string, limit, need int64) *Denial {
	if need <= limit {
		need = 2 * limit
	}
	return &Denial{
		Capability: ResourceBytes,
		Target:     Target(target),
		Rule:       fmt.Sprintf("more than the %d bytes of %s", limit, key),
		Hint:       limitHint(key, need),
	}
}

// limitHint is the fragment that raises a limit to need, or "" where no document may.
func limitHint(key string, need int64) string {
	if maximum, _, ok := (Resources{}).Bound(key); !ok || need > maximum {
		return ""
	}
	return fmt.Sprintf("resources: {%s: %d}", key, need)
}
