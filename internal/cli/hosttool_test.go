package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
)

func shell(t *testing.T, script string, args ...string) any {
	t.Helper()
	v, err := callProgram(t.Context(), "/bin/sh", append([]string{"sh", "-c", script}, args...), nil)
	if err != nil {
		t.Errorf("%s: %v", script, err)
	}
	return v
}

func TestWhatAToolLeavesInTheBackgroundEndsWithIt(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() {
		f, err := os.Open(fifo)
		if err == nil {
			_, err = io.Copy(io.Discard, f) // until its last writer has ended
		}
		gone <- err
	}()
	shell(t, `exec 3>"$0"; sleep 40 >/dev/null 2>&1 & echo 1`, fifo)
	select {
	case err := <-gone:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it lives on")
	}
}

func TestAnAnswerCountsWhateverHoldsTheOutput(t *testing.T) {
	for _, script := range []string{"sleep 30 & echo 1", "setsid -f sleep 5; echo 1"} {
		if v := shell(t, script); v != 1.0 {
			t.Errorf("%s: %v", script, v)
		}
	}
}

func TestToolsHaveNameAndCommand(t *testing.T) {
	for _, flag := range []string{"=true", "a", "a=", "="} {
		if _, err := addTools(&grants.Grants{}, []string{flag}); err == nil || !strings.HasSuffix(err.Error(), "write NAME=COMMAND") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

func TestFlagsThatExcludeEachOther(t *testing.T) {
	for want, f := range map[string]runFlags{
		"--grants and --profile":                {grants: grantFlags{file: "g"}, profile: "p"},
		"--json, --events and --observation":    {json: true, events: true},
		"--json, --events and --observation ex": {events: true, observation: true},
	} {
		if err := f.operands(1, []string{"x.ts"}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
