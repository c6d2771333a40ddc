package grants

// Grants is what one run may do. The zero value permits nothing and has the default limits. Keys in a document are
// the json names, in YAML as in JSON; see [Load].
//
// Encoding Grants as JSON writes the secrets that are given by value: it is the document. Printing it with fmt does not.
type Grants struct {
	Filesystem  Filesystem        `json:"filesystem,omitzero"`
	Network     Network           `json:"network,omitzero"`
	Subprocess  Subprocess        `json:"subprocess,omitzero"`
	Environment map[string]string `json:"environment,omitempty"` // variables the guest may read, and their values
	Secrets     map[string]Secret `json:"secrets,omitempty"`
	Tools       Tools             `json:"tools,omitzero"`
	Modules     map[string]string `json:"modules,omitempty"` // import map: specifier to absolute path of a source file
	Wasm        []Wasm            `json:"wasm,omitempty"`
	Engine      Engine            `json:"engine,omitzero"`
	Resources   Resources         `json:"resources,omitzero"`
}

// Filesystem grants directories: everything beneath a root, nothing beside it. A write root is not readable and a
// read root not writable unless it is listed in both.
type Filesystem struct {
	Read  []string `json:"read,omitempty"`  // absolute directories
	Write []string `json:"write,omitempty"` // absolute directories
}

// Network grants exact origins.
type Network struct {
	Origins      []string    `json:"origins,omitempty"`      // "https://api.example.com", "http://127.0.0.1:8080"
	Methods      []string    `json:"methods,omitempty"`      // for all origins; default GET
	Inject       []Injection `json:"inject,omitempty"`       // headers added after the decision
	PrivateHosts []string    `json:"privateHosts,omitempty"` // names that may resolve to addresses that are not public
}

// Injection is a header that the supervisor adds to requests to one origin. The guest never sees its value.
type Injection struct {
	Origin string `json:"origin"`           // one of Network.Origins; https, or http on a loopback host
	Header string `json:"header"`           // "Authorization"
	Secret string `json:"secret"`           // a name in Grants.Secrets
	Prefix string `json:"prefix,omitempty"` // put before the secret: "Bearer "
}

// Subprocess grants commands. Each runs in a jail of its own.
type Subprocess struct {
	Commands    []string          `json:"commands,omitempty"`    // exact absolute executable paths
	Environment map[string]string `json:"environment,omitempty"` // the whole environment of a command; default empty
	Sandbox     Sandbox           `json:"sandbox,omitzero"`
	TimeoutMs   int64             `json:"timeoutMs,omitempty"` // milliseconds a command may take; default 30 000
}

// Sandbox names host paths that exist inside a command's jail beside the system directories programs need.
type Sandbox struct {
	Read    []string `json:"read,omitempty"`    // absolute paths
	Write   []string `json:"write,omitempty"`   // absolute paths
	Execute []string `json:"execute,omitempty"` // when given, nothing else can be executed inside the jail; one at least
}

// Secret is where one secret comes from: exactly one of Value, FromEnv and FromFile. In a document a plain string is
// the value.
type Secret struct {
	Value    string `json:"value,omitempty"`
	FromEnv  string `json:"fromEnv,omitempty"`  // a variable of the supervisor's environment
	FromFile string `json:"fromFile,omitempty"` // an absolute path on the host

	// Guest says whether the guest may read the secret. Nil: it may, unless an injection names the secret.
	Guest *bool `json:"guest,omitempty"`
}

// Tools grants host tools by name.
type Tools struct {
	Allowed  []string `json:"allowed,omitempty"`
	ReadOnly bool     `json:"readOnly,omitempty"` // tools that declare effects are refused
}

// Wasm is a WebAssembly module. Its binding script runs before the program and
// defines the globals by which that uses it.
type Wasm struct {
	Name          string `json:"name"`
	WasmPath      string `json:"wasmPath"`                // absolute path
	JSBindingPath string `json:"jsBindingPath,omitempty"` // absolute path of that script, without which nothing runs
}

// Engine chooses properties of the JavaScript engine.
type Engine struct {
	JIT      *bool  `json:"jit,omitempty"`      // nil means true; false is the hardened tier, which has no WebAssembly
	TimeZone string `json:"timeZone,omitempty"` // IANA name; "" means UTC
	Locale   string `json:"locale,omitempty"`   // BCP 47 tag; "" means en-US
}

// SetText makes a plain string in a document the secret's value.
func (s *Secret) SetText(text string) { s.Value = text }

// String says where the secret comes from and never what it is.
func (s Secret) String() string {
	switch {
	case s.FromEnv != "":
		return "secret from the environment variable " + s.FromEnv
	case s.FromFile != "":
		return "secret from the file " + s.FromFile
	}
	return "secret given by value"
}

// GoString is String: %#v must not print a value either.
func (s Secret) GoString() string { return s.String() }
