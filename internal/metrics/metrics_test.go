package metrics

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func TestTheReferenceParserReadsWhatIsWritten(t *testing.T) {
	var r Registry
	runs := r.Counter("x_runs_total", "Runs.", Label{"code", []string{"OK", "TIMEOUT"}}, Label{"kind", []string{`a"\`}})
	bare := r.Counter("x_refused_total", "Refusals.")
	r.Gauge("x_live", "Live runs.", func() float64 { return 3 })
	r.Constant("x_build_info", "Build.", Label{"version", []string{"v1"}})
	seconds := r.Histogram("x_run_seconds", "Duration of runs.", []float64{0.01, 0.1, 1}, Label{"phase", []string{"run"}})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			runs.Add(1, "OK", `a"\`)
			runs.Add(1, "whatever a guest wrote", "b")
			seconds.Observe(0.05, "run")
			seconds.Observe(5, "run")
			seconds.Observe(0.01, "run")
		})
	}
	all.Wait()
	bare.Add(2)

	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if len(families) != 5 || families["x_refused_total"].Metric[0].Counter.GetValue() != 2 || families["x_live"].Metric[0].Gauge.GetValue() != 3 {
		t.Errorf("read back as %v", families)
	}
	for _, m := range families["x_runs_total"].Metric {
		if v := m.Label[0].GetValue(); m.Counter.GetValue() != 4 || v != "OK" && v != Other {
			t.Errorf("runs: %v", m)
		}
	}
	h := families["x_run_seconds"].Metric[0].Histogram
	var counts []uint64
	for _, b := range h.Bucket {
		counts = append(counts, b.GetCumulativeCount())
	}
	if h.GetSampleCount() != 12 || len(counts) != 4 || counts[0] != 4 || counts[1] != 8 || counts[2] != 8 || counts[3] != 12 {
		t.Errorf("histogram: %v", h)
	}
	problems, err := promlint.New(&text).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
}
