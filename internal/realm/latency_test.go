//go:build linux

package realm

import (
	"os/exec"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/rpc"
)

// TestRoundTrips compares a capability call with the bare exchange of as many bytes with a process that only echoes them.
func TestRoundTrips(t *testing.T) {
	const n = 3000
	c := start(t, "--heap-mb=256")
	c.ready()
	c.execute(`import { environment } from 'realm:capabilities';
export default async () => {
  for (let i = 0; i < 300; i++) await environment('X');
  const t = performance.now();
  for (let i = 0; i < 3000; i++) await environment('X');
  return Math.round((performance.now() - t) * 1e6 / 3000);
}`)
	m := c.end(func(f rpc.Frame) {
		if f.Op == rpc.OpEnvironment {
			_ = c.w.Send(f.ID, &rpc.Reply{OK: true, Value: []byte{0xa1, 'y'}})
		}
	})
	result, ok := m.(*rpc.Result)
	if !ok {
		t.Fatalf("%+v", m)
	}
	t.Logf("call: %v; bare exchange: %v", time.Duration(integer(t, result.Value)), bare(t, n))
}

func bare(t *testing.T, n int) time.Duration {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 24)
	var t0 time.Time
	for i := range n {
		if i == n/10 {
			t0 = time.Now()
		}
		if _, err := in.Write(buf); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(buf); err != nil {
			t.Fatal(err)
		}
	}
	d := time.Since(t0) / time.Duration(n-n/10)
	in.Close()
	_ = cmd.Wait()
	return d
}
