package service

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"realm.internal/supervisor/pkg/value"
)

// What a caller sends is taken or refused, and a refusal is a problem that tells
// the caller so: nothing else comes of a body.
func FuzzOrder(f *testing.F) {
	for _, body := range []string{
		`{"source":"1"}`,
		`{"requestId":"a","source":"1","name":"n.ts","mode":"script","args":[1,{"$type":"date"}],"input":null,"profile":"p","tools":["t",{"name":"u","writes":true}],"limits":{"memoryMb":64}}`,
		`{"source":"1","grants":{"filesystem":{"read":["/srv"]},"secrets":{"X":{"fromFile":"/etc/shadow"}}}}`,
		`{"type":"execute","requestId":"a","code":"1","isolateLimits":{"memoryMb":8,"timeoutMs":1,"maxCodeBytes":9},"bridgeLimits":{"maxDataRequests":1},"toolPolicy":{"allowedTools":["t"],"readOnly":true}}`,
		`{"type":"execute","Type":"x","code":1}`,
		`{"source":"1","source":"2"}`, `{"source":"1"}{}`, `{"source":""}]`, `{"source":"\ud800"}`, `[]`, `{"source":"1","limits":[]}`, `{"source":"1","tools":[[]]}`,
		`{"source":"1","input":{"__proto__":1},"requestId":"../x"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := parseOrder(body)
		if err != nil {
			var p *problem
			if !errors.As(err, &p) || p.Status != http.StatusBadRequest || p.Detail == "" {
				t.Fatalf("refused by %T: %v", err, err)
			}
			return
		}
		if !json.Valid(body) {
			t.Fatalf("taken, and no JSON: %q", body)
		}
		if id := o.run.ID; id != "" && !plainID(id) {
			t.Fatalf("id %q", id)
		}
		if o.grants != nil {
			if err := o.grants.Validate(); err != nil {
				t.Fatalf("grants that do not validate were taken: %v", err)
			}
		}
		for _, v := range append([]any{o.run.Input}, o.run.Args...) {
			if _, err := value.Encode(v); err != nil && !errors.Is(err, value.ErrLimit) {
				t.Fatalf("%v cannot cross: %v", v, err)
			}
		}
	})
}

// The members of an object are what encoding/json finds in it, or it is refused.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"type":"data_response","dataRequestId":"1","data":[1]}`))
	f.Add([]byte(`{"data":1,"error":{"code":"E","message":"m"}}`))
	f.Add([]byte(`{"data":1,"Data":2}`))
	f.Add([]byte("{\"d\\u0061ta\":1}\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		all, err := members("the response", body, "type", "requestId", "dataRequestId", "data", "error")
		if err != nil {
			return
		}
		var plain map[string]json.RawMessage
		if err := json.Unmarshal(body, &plain); err != nil {
			t.Fatalf("%q was taken: %v", body, err)
		}
		if len(plain) != len(all) {
			t.Fatalf("%q: %d members, encoding/json finds %d", body, len(all), len(plain))
		}
		for key, raw := range all {
			if string(raw) != string(plain[key]) {
				t.Fatalf("%q: %s is %q, encoding/json has %q", body, key, raw, plain[key])
			}
			if _, err := text(all, key); err == nil && raw[0] != '"' {
				t.Fatalf("%q is no string", raw)
			}
		}
	})
}
