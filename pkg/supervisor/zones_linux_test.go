package supervisor_test

import (
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// What a check takes for a time zone and what the engine does are the same names.
func TestTheEngineKnowsTheTimeZonesThatGrantsMayName(t *testing.T) {
	s := supervise(t, supervisor.Config{})
	run := func(source, zone string) (got any) {
		t.Helper()
		res, err := s.Run(t.Context(), supervisor.Request{
			Source: source, Args: []any{grants.TimeZones()}, Grants: grants.Grants{Engine: grants.Engine{TimeZone: zone}},
		})
		if err == nil {
			err = res.Decode(&got)
		}
		if err != nil {
			t.Errorf("%s: %v", zone, err)
		}
		return got
	}
	got := run(`export default (names) => {
		const knows = (name) => { try { return !!new Intl.DateTimeFormat("en", { timeZone: name }) } catch { return false } };
		return [names.filter((name) => !knows(name)), Intl.supportedValuesOf("timeZone").filter((name) => !names.includes(name))].map(String);
	}`, "")
	alone, _ := got.([]any)
	if len(alone) != 2 || alone[1] != "" || alone[0] != "" && engine(t) != "10" { // which is older than some names
		t.Errorf("known to one side alone: %v", got)
	}
	// What the process is told must be known too, aliases and what is no place among them.
	for _, zone := range []string{"UTC", "Europe/Berlin", "US/Pacific", "Etc/GMT+5", "EST5EDT", "GB", "America/Argentina/Buenos_Aires"} {
		if offset := run(`new Date(2024, 6, 1).getTimezoneOffset()`, zone); offset == nil {
			t.Errorf("%s has no offset", zone)
		}
	}
	// Date and Intl agree. What is as short as an abbreviation is taken for one by the engine's library, which was UTC.
	for _, zone := range grants.TimeZones() {
		if len(zone) > 4 {
			continue
		}
		got := run(`const named = { timeZone: "`+zone+`" };
			[0, 6].every((month) => new Date(2024, month, 1, 5).toLocaleTimeString("en", named).startsWith("5:00:00")) &&
			Intl.DateTimeFormat().resolvedOptions().timeZone === Intl.DateTimeFormat("en", named).resolvedOptions().timeZone`, zone)
		if got != true {
			t.Errorf("%s: Date and Intl differ", zone)
		}
	}
}
