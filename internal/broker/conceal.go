package broker

import (
	"slices"

	"realm.internal/supervisor/internal/redact"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/value"
)

// concealer takes the secrets that the guest must not see out of one answer,
// and remembers which it met.
type concealer struct {
	r     *redact.Redactor
	found []string
}

func (b *Broker) concealer() *concealer { return &concealer{r: b.Secrets.Everywhere} }

func (c *concealer) text(s string) string {
	out, found := c.r.String(s)
	c.found = append(c.found, found...)
	return out
}

// bytes never returns nil, which would cross as null.
func (c *concealer) bytes(p []byte) []byte {
	if len(p) == 0 {
		return []byte{}
	}
	out, found := c.r.Bytes(p)
	c.found = append(c.found, found...)
	return out
}

// value conceals in a tree that pkg/value decoded.
func (c *concealer) value(v any) any {
	if c.r == nil {
		return v
	}
	return value.Rewrite(v, c.text, c.bytes)
}

// names are the secrets that were met, each once.
func (c *concealer) names() []string {
	slices.Sort(c.found)
	return slices.Compact(c.found)
}

// recordConcealed says for each secret that it was taken out of op's answer.
func (b *Broker) recordConcealed(op operation, names []string) error {
	for _, name := range names {
		r := audit.Record{Op: op.number, Capability: grants.CapabilitySecret, Target: name, Outcome: audit.Used,
			Reason: "replaced in the answer to " + op.capability}
		if err := b.Trail.Append(r); err != nil {
			return err
		}
	}
	return nil
}
