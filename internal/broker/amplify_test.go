package broker

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
)

// heldTool answers when it is released, and watches the heap meanwhile.
type heldTool struct {
	release chan struct{}
	called  chan struct{}
	mu      sync.Mutex
	peak    uint64
}

func (h *heldTool) ReadOnly(string) bool { return true }

func (h *heldTool) Call(ctx context.Context, _ grants.ToolCall, _ json.RawMessage) (any, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.mu.Lock()
	h.peak = max(h.peak, m.HeapInuse)
	h.mu.Unlock()
	h.called <- struct{}{}
	select {
	case <-h.release:
	case <-ctx.Done():
	}
	return nil, nil
}

// Covers: T-RPC-01
func TestParallelToolParametersOfTinyObjectsStayBounded(t *testing.T) {
	tool := &heldTool{release: make(chan struct{}), called: make(chan struct{})}
	r := newRig(t, grants.Grants{Tools: grants.Tools{Allowed: []string{"t"}}}, func(c *Config) { c.Executors.Tools = tool })
	const n, calls = 1 << 16, 16
	params := append(binary.BigEndian.AppendUint32([]byte{0xdd}, n), bytes.Repeat([]byte{0x80}, n)...)
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range calls {
		r.send(uint64(i+1), &rpc.ToolRequest{Method: "t", Size: int64(len(params)), Params: params})
	}
	for range calls {
		<-tool.called
	}
	close(tool.release)
	for range calls {
		r.reply()
	}
	r.send(0, done())
	r.wait()
	if grown := int64(tool.peak) - int64(before.HeapInuse); grown > 60<<20 {
		t.Errorf("the heap grew by %d MiB for %d MiB of parameters", grown>>20, calls*n>>20)
	}
}

func TestParametersAreNotDecodedForARunThatIsOver(t *testing.T) {
	r := newRig(t, grants.Grants{Tools: grants.Tools{Allowed: []string{"t"}}}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.broker.toolParams(ctx, rpc.Raw{0xc0}); err == nil {
		t.Error("they were decoded")
	}
	r.send(0, done())
	r.wait()
}

// Parameters wait for the memory that they take as a tree, and give it back as JSON, before the tool has them.
// Covers: T-RPC-01
func TestParametersReserveTheirMemory(t *testing.T) {
	var held, most atomic.Int64
	tool := &heldTool{release: make(chan struct{}), called: make(chan struct{})}
	r := newRig(t, grants.Grants{Tools: grants.Tools{Allowed: []string{"t"}}}, func(c *Config) {
		c.Executors.Tools = tool
		c.Reserve = func(raw rpc.Raw) func() {
			most.Store(max(most.Load(), held.Add(int64(len(raw)))))
			return func() { held.Add(-int64(len(raw))) }
		}
	})
	const calls = 4
	params := rpc.Raw{0xa3, 'a', 'b', 'c'}
	for i := range calls {
		r.send(uint64(i+1), &rpc.ToolRequest{Method: "t", Size: int64(len(params)), Params: params})
	}
	for range calls {
		<-tool.called
	}
	if held.Load() != 0 || most.Load() != int64(len(params)) {
		t.Errorf("%d bytes are held, %d at most", held.Load(), most.Load())
	}
	close(tool.release)
	for range calls {
		r.reply()
	}
	r.send(0, done())
	r.wait()
}
