//go:build probe && linux

package probe

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// aim prepares what probes aim at, and fails the test if anybody comes.
func aim(t *testing.T) Target {
	t.Helper()
	target := Target{PID: os.Getpid(), Abstract: fmt.Sprintf("probe-target-%d", os.Getpid())}
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target.Port = tcp.Addr().(*net.TCPAddr).Port
	local, err := net.Listen("unix", "@"+target.Abstract)
	if err != nil {
		t.Fatal(err)
	}
	for _, listener := range []net.Listener{tcp, local} {
		guard(t, listener)
	}
	dir, err := os.MkdirTemp("", "target")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	target.File = filepath.Join(dir, "file")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target.File, []byte("host"), 0o644); err != nil {
		t.Fatal(err)
	}
	return target
}

func guard(t *testing.T, listener net.Listener) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			t.Errorf("a probe reached %s", listener.Addr())
			_ = connection.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
}

func (t Target) args() []string {
	return []string{
		"--pid=" + strconv.Itoa(t.PID), "--port=" + strconv.Itoa(t.Port),
		"--abstract=" + t.Abstract, "--file=" + t.File, "--last=" + strconv.Itoa(t.Last),
	}
}
