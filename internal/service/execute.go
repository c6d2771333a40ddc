package service

import (
	"encoding/json"
	"slices"
	"strings"

	"realm.internal/supervisor/pkg/grants"
)

// isolateLimits and bridgeLimits are the limits that a message of the type execute may hold, by its names for them.
type isolateLimits struct {
	MemoryMb     int64 `json:"memoryMb"`
	TimeoutMs    int64 `json:"timeoutMs"`
	MaxCodeBytes int64 `json:"maxCodeBytes"`
}

type bridgeLimits struct {
	MaxDataRequests int64 `json:"maxDataRequests"`
	MaxDataBytes    int64 `json:"maxDataBytes"`
	MaxResultBytes  int64 `json:"maxResultBytes"`
	MaxStatusEvents int64 `json:"maxStatusEvents"`
}

// Bound tells the document reader what a number under key may be.
func (isolateLimits) Bound(key string) (int64, string, bool) {
	if key == "timeoutMs" {
		key = "wallClockMs"
	}
	return grants.Resources{}.Bound(key)
}

// Bound tells the document reader what a number under key may be.
func (bridgeLimits) Bound(key string) (int64, string, bool) { return grants.Resources{}.Bound(key) }

// executeLimits reads both.
func executeLimits(isolate, bridge json.RawMessage) (grants.Resources, error) {
	var i isolateLimits
	var b bridgeLimits
	err := limits("isolateLimits", isolate, &i)
	if err == nil {
		err = limits("bridgeLimits", bridge, &b)
	}
	return grants.Resources{
		MemoryMb: i.MemoryMb, WallClockMs: i.TimeoutMs, MaxCodeBytes: i.MaxCodeBytes,
		MaxDataRequests: b.MaxDataRequests, MaxDataBytes: b.MaxDataBytes, MaxResultBytes: b.MaxResultBytes, MaxStatusEvents: b.MaxStatusEvents,
	}, err
}

// executeNames are those of a message of the type execute for what grants hold.
func executeNames() *strings.Replacer {
	return strings.NewReplacer(
		"resources.memoryMb", "isolateLimits.memoryMb", "resources.wallClockMs", "isolateLimits.timeoutMs", "resources.maxCodeBytes", "isolateLimits.maxCodeBytes",
		"resources.maxDataRequests", "bridgeLimits.maxDataRequests", "resources.maxDataBytes", "bridgeLimits.maxDataBytes",
		"resources.maxResultBytes", "bridgeLimits.maxResultBytes", "resources.maxStatusEvents", "bridgeLimits.maxStatusEvents",
		"tools.allowed", "toolPolicy.allowedTools", "tools.readOnly", "toolPolicy.readOnly",
	)
}

// named is err by the names of the request.
func (o *order) named(err error) error {
	list, ok := err.(*grants.Error)
	if !ok || o.names == nil {
		return err
	}
	problems := slices.Clone(list.Problems)
	for i := range problems {
		problems[i].Path = o.names.Replace(problems[i].Path)
	}
	return &grants.Error{Problems: problems}
}
