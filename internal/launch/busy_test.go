//go:build linux

package launch

import (
	"os/exec"
	"testing"
	"time"
)

// A program that waits is no spawner; one that would go on may be a spawner that the host does not let.
func TestOnlyAProgramThatWouldRunIsBusy(t *testing.T) {
	for script, want := range map[string]bool{"while :; do :; done": true, "read line": false} {
		cmd := exec.Command("/bin/sh", "-c", script)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		p := spawnerProcess{pid: cmd.Process.Pid}
		tick := time.NewTicker(time.Millisecond)
		for until := time.Now().Add(10 * time.Second); p.busy() != want; <-tick.C { // it has to start first
			if time.Now().After(until) {
				t.Errorf("%q: busy is not %v", script, want)
				break
			}
		}
		tick.Stop()
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
		if p.busy() {
			t.Errorf("%q: busy after its end", script)
		}
	}
}
