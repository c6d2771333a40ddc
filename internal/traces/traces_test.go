package traces

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTracesAreExportedWhereTheVariablesAskForThem(t *testing.T) {
	for claim, c := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"nothing is said":     {nil, false},
		"an endpoint":         {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, true},
		"one of traces":       {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, true},
		"the exporter":        {map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true},
		"a name alone":        {map[string]string{"OTEL_SERVICE_NAME": "x"}, false},
		"an empty endpoint":   {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": " "}, false},
		"no exporter":         {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_TRACES_EXPORTER": "none"}, false},
		"the SDK is disabled": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "TRUE"}, false},
	} {
		if got := Wanted(func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }); got != c.want {
			t.Errorf("%s: %v", claim, got)
		}
	}
}

func TestTheExporterGetsItsVariablesAlone(t *testing.T) {
	got := variables([]string{"OTEL_SERVICE_NAME=x", "API_TOKEN=secret", "SSL_CERT_FILE=/c", "PATH=/bin", "NOTEL_X=1", "https_proxy=p"})
	if want := []string{"OTEL_SERVICE_NAME=x", "SSL_CERT_FILE=/c", "https_proxy=p"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestNobodyWaitsForAnExporterThatDoesNotRead(t *testing.T) {
	var none *Recorder
	none.Record(&Span{})
	none.Close(t.Context())
	path := filepath.Join(t.TempDir(), "deaf")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho $$ >"+path+".pid\nexec sleep 100\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path+".pid", 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Start(path, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	const many = 20 * queued // more than queue and pipe hold
	for range many {
		r.Record(&Span{Name: "x", Attributes: map[string]any{"a": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}})
	}
	if took := time.Since(began); took > 5*time.Second || r.Dropped() == 0 {
		t.Errorf("%v, %d dropped", took, r.Dropped())
	}
	number, err := os.ReadFile(path + ".pid") // once it is written
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	r.Close(ctx)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(number))); err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		t.Errorf("process %s outlives its recorder, %v", number, err)
	}
	if _, err := Start(t.TempDir(), nil, nil); err == nil {
		t.Error("a directory was started")
	}
}
