package grants

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Checker decides about operations. It permits what the grants it was made from permit, and nothing else.
type Checker struct {
	grants  Grants
	limits  Limits
	origins []Origin
	inject  map[Origin][]Injection
}

// NewChecker makes a checker of g. Grants that do not validate permit nothing.
func NewChecker(g Grants) *Checker {
	normal, err := g.Normalize()
	if err != nil {
		normal = Grants{}
	}
	c := &Checker{grants: normal, limits: normal.Resources.Resolve(), inject: map[Origin][]Injection{}}
	for _, text := range normal.Network.Origins {
		if o, err := ParseOrigin(text); err == nil {
			c.origins = append(c.origins, o)
		}
	}
	for _, in := range normal.Network.Inject {
		if o, err := ParseOrigin(in.Origin); err == nil {
			c.inject[o] = append(c.inject[o], in)
		}
	}
	return c
}

// Limits are the run's limits, with every default filled in.
func (c *Checker) Limits() Limits { return c.limits }

// Grants are the grants in canonical form: the roots of file tickets are spelled as here. Treat them as read-only.
func (c *Checker) Grants() Grants { return c.grants }

// Environment decides about reading a variable. The error is a *Denial.
func (c *Checker) Environment(name string) (EnvironmentRead, error) {
	value, ok := c.grants.Environment[name]
	if !ok {
		return EnvironmentRead{}, &Denial{
			Capability: CapabilityEnvironment,
			Target:     Target(name),
			Rule:       "the variable is not granted",
			Hint:       mapHint("environment", name, "value", validVariable(name) == ""),
		}
	}
	return EnvironmentRead{name: name, value: value, valid: true}, nil
}

// Secret decides about handing a secret to the guest. The error is a *Denial.
func (c *Checker) Secret(name string) (SecretRead, error) {
	secret, ok := c.grants.Secrets[name]
	if !ok {
		return SecretRead{}, &Denial{
			Capability: CapabilitySecret,
			Target:     Target(name),
			Rule:       "the secret is not granted",
			Hint:       mapHint("secrets", name, "{fromEnv: "+flow(name)+"}", validVariable(name) == ""),
		}
	}
	if c.grants.guestMayRead(name, secret) {
		return SecretRead{name: name, valid: true}, nil
	}
	rule := "the secret is added to requests by the supervisor and not readable"
	if secret.Guest != nil {
		rule = "the secret's grant keeps it from the guest"
	}
	return SecretRead{}, &Denial{
		Capability: CapabilitySecret,
		Target:     Target(name),
		Rule:       rule,
		Hint:       mapHint("secrets", name, "{guest: true}", true),
	}
}

// guestMayRead: what is injected stays with the supervisor unless the grant says otherwise.
func (g Grants) guestMayRead(name string, s Secret) bool {
	if s.Guest != nil {
		return *s.Guest
	}
	return !slices.ContainsFunc(g.Network.Inject, func(in Injection) bool { return in.Secret == name })
}

// Tool decides about a call of a host tool; readOnly says that nobody declared effects of the tool. The error is a *Denial.
func (c *Checker) Tool(method string, readOnly bool) (ToolCall, error) {
	if !slices.Contains(c.grants.Tools.Allowed, method) {
		hint := ""
		if validTool(method) == "" {
			hint = fmt.Sprintf("tools: {allowed: [%s]}", flow(method))
		}
		return ToolCall{}, &Denial{CapabilityTool, Target(method), "the tool is not granted", hint}
	}
	if c.grants.Tools.ReadOnly && !readOnly {
		return ToolCall{}, &Denial{CapabilityTool, Target(method),
			"only tools without effects are granted and this one declares effects", "tools: {readOnly: false}"}
	}
	return ToolCall{method: method, valid: true}, nil
}

// Spawn decides about running a command. The error is a *Denial.
func (c *Checker) Spawn(path string, args []string) (Spawn, error) {
	granted := c.grants.Subprocess
	if !slices.Contains(granted.Commands, path) {
		hint := "name the executable by its absolute path"
		if validPath(path) == "" {
			hint = fmt.Sprintf("subprocess: {commands: [%s]}", flow(path))
		}
		return Spawn{}, &Denial{CapabilitySubprocess, Target(path), "the command is not granted", hint}
	}
	if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "\x00") }) {
		return Spawn{}, &Denial{CapabilitySubprocess, Target(path), "an argument holds a NUL byte", ""}
	}
	return Spawn{
		path:        path,
		args:        slices.Clone(args),
		environment: maps.Clone(granted.Environment),
		sandbox:     granted.Sandbox.clone(),
		timeout:     granted.Timeout(),
		output:      c.limits.MaxProcessOutputBytes,
		input:       c.limits.MaxWriteBytes,
		pids:        c.limits.MaxPids,
		valid:       true,
	}, nil
}

// Timeout is how long a command may take, with the default filled in.
func (s Subprocess) Timeout() time.Duration {
	if s.TimeoutMs == 0 {
		return defaultTimeoutMs * time.Millisecond
	}
	return time.Duration(s.TimeoutMs) * time.Millisecond
}
