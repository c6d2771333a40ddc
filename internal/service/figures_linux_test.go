package service

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// figures reads /metrics as Prometheus does: value by series.
func (r *running) figures() map[string]float64 {
	r.t.Helper()
	_, text := r.send("GET", "/metrics", "")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		r.t.Fatal(err)
	}
	series := map[string]float64{}
	for name, f := range families {
		for _, m := range f.Metric {
			key := name
			for _, l := range m.Label {
				key += fmt.Sprintf(" %s=%s", l.GetName(), l.GetValue())
			}
			series[key] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return series
}

// What happens to runs is in the figures, and no name that a caller or guest chooses makes another series.
// Covers: T-LOC-05
func TestFiguresTellWhatHappensInBoundedSeries(t *testing.T) {
	r := serve(t, everything)
	round := func(name string) {
		source := fmt.Sprintf(`import {environment, readText, request} from "realm:capabilities";
			export default async () => { await environment("MODE"); await environment(%[1]q).catch(() => 0); await readText("/"+%[1]q).catch(() => 0); await request(%[1]q, 1).catch(() => 0); throw Object.assign(new Error, {name: %[1]q, code: %[1]q}); }`, name)
		r.run(js(map[string]any{"source": source, "requestId": name, "profile": "plain"}))
		r.run(js(map[string]any{"source": "for(;;);", "requestId": name, "limits": map[string]int{"wallClockMs": 50}}))
		r.send("POST", "/v1/runs", `{"source": "1", "profile": "`+name+`"}`)
		r.send("DELETE", "/v1/runs/"+name, "")
		r.send("POST", "/v1/runs/"+name+"/responses", `{"dataRequestId": "`+name+`"}`)
		r.send("GET", "/"+name, "")
		r.send("PATCH", "/v1/"+name, "")
	}
	r.figures() // which counts itself
	round("first")
	first := r.figures()
	for series, least := range map[string]float64{
		"supervisor_runs_total code=RUNTIME":                                    1,
		"supervisor_runs_total code=TIMEOUT":                                    1,
		"supervisor_kills_total code=TIMEOUT":                                   1,
		"supervisor_run_phase_seconds phase=queue":                              2,
		"supervisor_run_phase_seconds phase=launch":                             2,
		"supervisor_run_phase_seconds phase=run":                                2,
		"supervisor_operations_total capability=environment outcome=used":       1,
		"supervisor_operations_total capability=environment outcome=denied":     1,
		"supervisor_operations_total capability=filesystem.read outcome=denied": 1,
		"supervisor_operations_total capability=tool outcome=denied":            1,
		"supervisor_http_requests_total path=/v1/runs/{id} status=4xx":          1,
		"supervisor_max_runs":                                                   1,
		"supervisor_self_check_ok":                                              1,
		"supervisor_queued_runs":                                                0,
		"supervisor_waiting_realms":                                             0,
	} {
		if got, there := first[series]; !there || got < least {
			t.Errorf("%s: %v, %v", series, got, there)
		}
	}
	for i := range 5 {
		round(fmt.Sprintf("name-%d", i))
	}
	for series := range r.figures() {
		if _, before := first[series]; !before {
			t.Errorf("another series: %s", series)
		}
	}
}
