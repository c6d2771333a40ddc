package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"realm.internal/supervisor/internal/document"
	"realm.internal/supervisor/pkg/grants"
)

// Version is the version of policy documents that this build reads.
const Version = 1

// MaxRealms bounds every number of realms.
const MaxRealms = 4096

// Policy is one policy document.
type Policy struct {
	// Version must be 1.
	Version int64 `json:"version"`
	// RequiredLayers must be enforced, whatever a command line waives.
	RequiredLayers []string `json:"requiredLayers,omitempty"`
	// Ceilings have the shape of grants; see [Policy.Check] for what a "*" in them stands for. Nil: profiles are not
	// held to any, and callers' own grants may permit nothing.
	Ceilings *grants.Grants `json:"ceilings,omitempty"`
	// Profiles are grants by name. They lie within the ceilings, and may name any source on the host.
	Profiles map[string]grants.Grants `json:"profiles,omitempty"`
	// Callers are who may use the service; the first that fits counts.
	Callers []Caller `json:"callers,omitempty"`
	// Audit is where records go.
	Audit []Sink `json:"audit,omitempty"`
	// Pool bounds the realms of the host.
	Pool Pool `json:"pool,omitzero"`
}

// Caller is who may call and what they get. Exactly one of UID, GID and Token says who.
type Caller struct {
	UID   *uint32 `json:"uid,omitempty"`
	GID   *uint32 `json:"gid,omitempty"`   // primary or supplementary
	Token string  `json:"token,omitempty"` // the name of a token, not its value

	Profiles      []string `json:"profiles,omitempty"`      // what they may choose; the first is the default
	Grants        bool     `json:"grants,omitempty"`        // they may bring grants within the ceilings
	MaxConcurrent int64    `json:"maxConcurrent,omitempty"` // live realms of theirs; default as many as the host's
}

// Sink is one destination of audit records. Exactly one field is set.
type Sink struct {
	File   string `json:"file,omitempty"` // absolute path
	Stderr bool   `json:"stderr,omitempty"`
}

// Pool bounds realms.
type Pool struct {
	MaxConcurrent int64 `json:"maxConcurrent,omitempty"` // live realms; default twice the CPUs
	WarmPoolSize  int64 `json:"warmPoolSize,omitempty"`  // realms that wait ready; 0: none
}

// Load reads one YAML or JSON document as strictly as [grants.Load] and validates it. The error is a *grants.Error
// unless reading failed.
func Load(r io.Reader) (*Policy, error) {
	var p Policy
	source, err := document.Decode(r, &p)
	if err != nil {
		return nil, err
	}
	if source.Empty() {
		return nil, &grants.Error{Problems: []grants.Problem{{Message: "the document is empty", Fix: fmt.Sprintf("the least policy is version: %d, which allows nothing", Version)}}}
	}
	if err := p.Validate(); err != nil {
		return nil, source.Locate(err)
	}
	return &p, nil
}

// Profile finds the grants of a profile.
func (p *Policy) Profile(name string) (grants.Grants, error) {
	g, ok := p.Profiles[name]
	if !ok {
		return grants.Grants{}, fmt.Errorf("policy has no profile %q", grants.Shorten(name))
	}
	return g, nil
}

// ForPeer finds the caller that a process of uid and its groups is.
func (p *Policy) ForPeer(uid uint32, gids []uint32) (Caller, bool) {
	return p.caller(func(c Caller) bool {
		return c.UID != nil && *c.UID == uid || c.GID != nil && slices.Contains(gids, *c.GID)
	})
}

// ForToken finds the caller that whoever holds the named token is.
func (p *Policy) ForToken(name string) (Caller, bool) {
	return p.caller(func(c Caller) bool { return c.Token != "" && c.Token == name })
}

func (p *Policy) caller(fits func(Caller) bool) (Caller, bool) {
	if i := slices.IndexFunc(p.Callers, fits); i >= 0 {
		return p.Callers[i], true
	}
	return Caller{}, false
}

// MayUse reports whether the caller may choose a profile.
func (c Caller) MayUse(profile string) bool { return slices.Contains(c.Profiles, profile) }

// Protected lists the host paths that no write root may hold, as far as the policy names them.
func (p *Policy) Protected() []string {
	var paths []string
	for _, s := range p.Audit {
		if s.File != "" {
			paths = append(paths, s.File)
		}
	}
	return paths
}

// Hash is the SHA-256, in hex, of the policy, without the values of secrets.
func Hash(p *Policy) string {
	bare := *p
	bare.Ceilings = nil
	bare.Profiles = nil
	hashes := map[string]string{}
	if p.Ceilings != nil {
		hashes["ceilings"] = grants.Hash(*p.Ceilings)
	}
	for name, g := range p.Profiles {
		hashes["profile "+name] = grants.Hash(g)
	}
	text, err := json.Marshal([]any{bare, hashes})
	if err != nil {
		panic(fmt.Errorf("policy: encode: %w", err)) // strings, integers and booleans always encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Bound tells the document reader what a number under key may be.
func (Caller) Bound(key string) (int64, string, bool) {
	return MaxRealms, "use an integer from 1 to 4096, or leave it out for the host's", key == "maxConcurrent"
}

// Bound tells the document reader what a number under key may be. That of warmPoolSize may be 0: Validate bounds it.
func (Pool) Bound(key string) (int64, string, bool) {
	return MaxRealms, "use an integer from 1 to 4096, or leave it out for twice the CPUs", key == "maxConcurrent"
}
