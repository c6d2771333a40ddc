package service

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/supervisor"
)

// maxIDBytes bounds the id of a run.
const maxIDBytes = 128

// order is a run as its caller asks for it.
type order struct {
	run     supervisor.Request
	grants  *grants.Grants    // brought by the caller; nil: none
	offered []string          // tools that the caller answers
	policy  *grants.Tools     // toolPolicy of an execute message
	names   *strings.Replacer // of what grants hold, in the request; nil: as in grants
}

// parseOrder reads the body of POST /v1/runs: a request, or a message of the type execute.
func parseOrder(body []byte) (*order, error) {
	var kind struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(body, &kind) == nil && kind.Type != "" {
		if kind.Type != "execute" {
			return nil, malformed("a message of the type %q is not taken here", grants.Shorten(kind.Type))
		}
		return parseExecute(body)
	}
	all, err := members("the request", body, "requestId", "source", "name", "mode", "args", "input", "profile", "grants", "tools", "limits")
	if err != nil {
		return nil, err
	}
	o := &order{}
	r := &o.run
	if err := o.texts(all, "source", map[string]*string{
		"requestId": &r.ID, "source": &r.Source, "name": &r.Name, "mode": (*string)(&r.Mode), "profile": &r.Profile,
	}); err != nil {
		return nil, err
	}
	if raw, ok := all["args"]; ok {
		v, err := data("args", raw)
		if err != nil {
			return nil, err
		}
		if r.Args, ok = v.([]any); !ok {
			return nil, malformed("args is no array")
		}
	}
	if raw, ok := all["input"]; ok {
		if r.Input, err = data("input", raw); err != nil {
			return nil, err
		}
	}
	if raw, ok := all["grants"]; ok {
		if raw[0] != '{' {
			return nil, malformed("grants is no object")
		}
		g, err := grants.Load(bytes.NewReader(raw))
		if err != nil {
			return nil, malformed("grants: %v", err).with("grants", err)
		}
		o.grants = &g
	}
	if raw, ok := all["tools"]; ok {
		if o.offered, r.WritingTools, err = tools(raw); err != nil {
			return nil, err
		}
	}
	return o, limits("limits", all["limits"], &r.Limits)
}

// parseExecute reads a message {type: "execute", requestId, code, …}.
func parseExecute(body []byte) (*order, error) {
	all, err := members("the message", body, "type", "requestId", "code", "isolateLimits", "bridgeLimits", "toolPolicy")
	if err != nil {
		return nil, err
	}
	o := &order{names: executeNames()}
	if err := o.texts(all, "code", map[string]*string{"requestId": &o.run.ID, "code": &o.run.Source}); err != nil {
		return nil, err
	}
	if o.run.Limits, err = executeLimits(all["isolateLimits"], all["bridgeLimits"]); err != nil {
		return nil, err
	}
	if raw, ok := all["toolPolicy"]; ok {
		o.policy = &grants.Tools{}
		inner, err := members("toolPolicy", raw, "allowedTools", "readOnly")
		if err != nil {
			return nil, err
		}
		if raw, ok := inner["allowedTools"]; ok {
			if o.policy.Allowed, err = toolNames("toolPolicy.allowedTools", raw); err != nil {
				return nil, err
			}
		}
		if raw, ok := inner["readOnly"]; ok && !boolean(raw, &o.policy.ReadOnly) {
			return nil, malformed("toolPolicy.readOnly is neither true nor false")
		}
	}
	return o, nil
}

// texts reads strings, of which required must be there.
func (o *order) texts(all map[string]json.RawMessage, required string, into map[string]*string) (err error) {
	for key, to := range into {
		if *to, err = text(all, key); err != nil {
			return err
		}
	}
	if _, ok := all[required]; !ok {
		return malformed("%s is missing", required)
	}
	if id := o.run.ID; id != "" && !plainID(id) || all["requestId"] != nil && id == "" {
		return malformed("requestId is not 1 to %d of letters, digits and -_.~:", maxIDBytes)
	}
	return nil
}

// plainID keeps ids readable in paths, records and logs.
func plainID(id string) bool {
	return len(id) <= maxIDBytes && strings.Trim(id, ".") != "" && strings.IndexFunc(id, func(r rune) bool {
		return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.~:", r)
	}) < 0
}

// tools reads the tools that the caller answers: names, or {name, writes} for those that have effects.
func tools(raw json.RawMessage) (all, writing []string, err error) {
	list, err := toolList("tools", raw)
	if err != nil {
		return nil, nil, err
	}
	for _, item := range list {
		var name string
		if item[0] == '"' {
			if name, err = textOf("an item of tools", item); err != nil {
				return nil, nil, err
			}
			all = append(all, name)
			continue
		}
		inner, err := members("an item of tools", item, "name", "writes")
		if err != nil {
			return nil, nil, err
		}
		if name, err = text(inner, "name"); err != nil {
			return nil, nil, err
		}
		if name == "" {
			return nil, nil, malformed("an item of tools has no name")
		}
		writes := false
		if raw, ok := inner["writes"]; ok && !boolean(raw, &writes) {
			return nil, nil, malformed("writes of the tool %q is neither true nor false", grants.Shorten(name))
		}
		if all = append(all, name); writes {
			writing = append(writing, name)
		}
	}
	return all, writing, err
}

// authorize fills in the grants and holds them to what the policy lets this caller have.
func (o *order) authorize(p *policy.Policy, c policy.Caller) error {
	r := &o.run
	switch {
	case o.grants != nil && r.Profile != "":
		return malformed("profile and grants are alternatives: give one of them")
	case o.grants != nil && !c.Grants:
		return refuse(http.StatusForbidden, supervisor.CodeInvalid, "the policy lets you choose among profiles (%s) and bring no grants of your own", strings.Join(c.Profiles, ", "))
	case o.grants == nil && r.Profile == "" && len(c.Profiles) > 0:
		r.Profile = c.Profiles[0]
	case r.Profile != "" && !c.MayUse(r.Profile):
		return refuse(http.StatusForbidden, supervisor.CodeInvalid, "the policy gives you no profile %q, only %s", grants.Shorten(r.Profile), some(c.Profiles))
	case o.grants == nil && r.Profile == "" && !c.Grants:
		return refuse(http.StatusForbidden, supervisor.CodeInvalid, "the policy gives you neither a profile nor grants of your own")
	}
	if o.grants != nil {
		r.Grants = *o.grants
	} else if r.Profile != "" {
		g, err := p.Profile(r.Profile)
		if err != nil {
			return refuse(http.StatusForbidden, supervisor.CodeInvalid, "%v", err)
		}
		r.Grants = g
	}
	o.tools()
	asked := r.Grants
	asked.Resources = asked.Resources.Override(r.Limits)
	if err := asked.Validate(); err != nil {
		err = o.named(err)
		return malformed("%v", err).with("", err)
	}
	var err error
	switch {
	case r.Profile == "":
		err = p.CheckBrought(asked)
	case c.Grants:
		err = p.CheckUnder(r.Profile, asked)
	default: // the profile is all that they get
		own, _ := p.Profile(r.Profile)
		err = (&policy.Policy{Version: policy.Version, Ceilings: &own}).Check(asked)
	}
	if err != nil {
		return beyond(o.named(err))
	}
	return nil
}

// tools grants those that the message allows, or else those that the caller answers, unless the grants say themselves which there are.
// What is beyond a profile is for the policy's check to refuse.
func (o *order) tools() {
	switch t := &o.run.Grants.Tools; {
	case o.policy != nil:
		t.Allowed, t.ReadOnly = o.policy.Allowed, t.ReadOnly || o.policy.ReadOnly
	case t.Allowed == nil && !t.ReadOnly:
		t.Allowed = o.offered
	}
}

func some(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
