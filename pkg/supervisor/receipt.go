package supervisor

import "encoding/json"

// Layer is the state of one isolation layer on a receipt.
type Layer struct {
	State  string `json:"state"` // enforced or missing
	Detail string `json:"detail,omitempty"`
}

// Receipt is the isolation that was read back from the kernel for one realm
// before it got any byte of the guest.
type Receipt struct {
	Layers        map[string]Layer  `json:"layers"`
	UID           uint32            `json:"uid"` // on the host
	Namespaces    map[string]string `json:"namespaces"`
	Cgroup        map[string]string `json:"cgroup"`
	Descriptors   map[string]string `json:"descriptors"`
	SeccompSHA256 string            `json:"seccompSha256"`
	Realm         RealmInfo         `json:"realm"`
	Engine        EngineInfo        `json:"engine"`
	SourceSHA256  string            `json:"sourceSha256"`
	GrantsSHA256  string            `json:"grantsSha256"`
	PolicySHA256  string            `json:"policySha256,omitempty"`
	AuditHead     string            `json:"auditHead,omitempty"`
	Weakenings    []string          `json:"weakenings"`
}

// EngineInfo says in which tier V8 ran. Without the just-in-time compiler the
// seccomp filter refuses executable memory, and there is no WebAssembly.
type EngineInfo struct {
	JIT bool `json:"jit"`
}

// RealmInfo identifies the realm binary.
type RealmInfo struct {
	Version string
	V8      string
	sha256  func() (string, error)
}

// SHA256 is the hex digest of the binary that ran. It is computed once, when it
// is first asked for, from the descriptor that realms are started from: reading
// 60 MB at each start would cost more than the run.
func (r RealmInfo) SHA256() (string, error) {
	if r.sha256 == nil {
		return "", nil
	}
	return r.sha256()
}

// MarshalJSON gives {sha256, version, v8}.
func (r RealmInfo) MarshalJSON() ([]byte, error) {
	sum, err := r.SHA256()
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		SHA256  string `json:"sha256"`
		Version string `json:"version"`
		V8      string `json:"v8"`
	}{sum, r.Version, r.V8})
}
