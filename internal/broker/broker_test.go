package broker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

func TestAGrantedCallIsAnsweredAndRecordedTwice(t *testing.T) {
	r := newRig(t, grants.Grants{Environment: map[string]string{"MODE": "analysis"}}, nil)
	r.send(1, &rpc.Environment{Name: "MODE"})
	id, m := r.reply()
	got, err := value.Decode(m.Value, value.Limits{})
	if id != 1 || !m.OK || err != nil || got != "analysis" {
		t.Errorf("reply %d %+v %v", id, m, got)
	}
	r.send(0, done())
	if s := r.wait(); s.err != nil || s.end.Result == nil {
		t.Errorf("%+v", s)
	}
	if got := r.outcomes(); got != "environment:allowed environment:used" {
		t.Error(got)
	}
	recs := r.memory.Records()
	if recs[0].Op != recs[1].Op || *recs[1].Bytes != 8 {
		t.Errorf("%+v", recs)
	}
}

func TestARefusedCallIsNotExecutedAndTellsTheGrantItLacks(t *testing.T) {
	r := newRig(t, grants.Grants{}, nil)
	r.send(1, &rpc.FilesystemRead{Path: "/etc/shadow", Length: -1})
	_, m := r.reply()
	if m.OK || m.Error.Kind != rpc.KindDenied || m.Error.Capability != "filesystem.read" || !strings.Contains(m.Error.Hint, "filesystem") {
		t.Errorf("%+v", m)
	}
	if got := r.outcomes(); got != "filesystem.read:denied" {
		t.Error(got)
	}
}

func TestDeniedCallsAreChargedToo(t *testing.T) {
	r := newRig(t, grants.Grants{Environment: map[string]string{"A": "1"}, Resources: grants.Resources{MaxOperations: 2}}, nil)
	for id := uint64(1); id <= 3; id++ {
		name := "NO"
		if id == 3 {
			name = "A"
		}
		r.send(id, &rpc.Environment{Name: name})
		_, m := r.reply()
		if want := []string{"", "environment", "environment", "resource.operations"}[id]; m.Error.Capability != want {
			t.Errorf("call %d: %+v", id, m)
		}
	}
	if s := r.broker.Stats(); s.Operations != 3 || s.Denied != 3 {
		t.Errorf("%+v", s)
	}
}

// Covers: T-RPC-04
func TestARealmThatIgnoresItsBudgetIsEnded(t *testing.T) {
	r := newRig(t, grants.Grants{Resources: grants.Resources{MaxOperations: 1}}, nil)
	go func() { _, _ = io.Copy(io.Discard, readerOf(r)) }()
	go func() {
		w := rpc.NewWriter(r.toUs)
		for id := uint64(1); w.Send(id, &rpc.Environment{Name: "A"}) == nil; id++ {
		}
	}()
	s := r.wait()
	if s.end.Failure == nil || s.end.Failure.Capability != "resource.operations" {
		t.Errorf("%+v", s)
	}
	if n := len(r.memory.Records()); n > refusalsKept+2 {
		t.Errorf("%d records", n)
	}
}

func readerOf(r *rig) io.Reader {
	pr, pw := io.Pipe()
	go func() {
		for {
			if _, err := r.fromUs.Next(func(rpc.Op) (int, error) { return rpc.MaxFrameBytes, nil }); err != nil {
				_ = pw.Close()
				return
			}
		}
	}()
	return pr
}

// Covers: T-RPC-01, T-RPC-03
func TestWhatBreaksTheProtocolEndsTheRun(t *testing.T) {
	frame := func(m rpc.Message, id uint64) []byte {
		var b bytes.Buffer
		if err := rpc.NewWriter(&b).Send(id, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	length := func(n uint32, rest ...byte) []byte { return append(binary.BigEndian.AppendUint32(nil, n), rest...) }
	env := frame(&rpc.Environment{Name: "A"}, 1)
	tried, ended := 0, 0
	defer func() { t.Logf("attacks: either protocol what breaks it %d %d", tried, ended) }()
	for name, b := range map[string][]byte{
		"an op of the supervisor's":            frame(&rpc.Execute{Mode: "auto"}, 0),
		"a reply":                              frame(&rpc.Reply{OK: true, Value: rpc.Raw{0xc0}}, 1),
		"ready again":                          frame(&rpc.Ready{Protocol: 1}, 0),
		"an unknown op":                        length(4, 0x93, 99, 0, 0x90),
		"no array":                             length(4, 0xc0, 0xc0, 0xc0, 0xc0),
		"an array of 2^32-1":                   length(9, 0x93, byte(rpc.OpEnvironment), 1, 0xdd, 0xff, 0xff, 0xff, 0xff, 0),
		"nested arrays":                        append(length(1<<20, 0x93, byte(rpc.OpResult), 0), bytes.Repeat([]byte{0x91}, 1<<20-3)...),
		"a length of 4 GiB":                    length(0xffffffff, 0x93, byte(rpc.OpResult), 0, 0x90),
		"a call without an id":                 frame(&rpc.Environment{Name: "A"}, 0),
		"the same id twice":                    append(bytes.Clone(env), env...),
		"an unknown console level":             frame(&rpc.Console{Level: "shout", Message: "m"}, 0),
		"too many fields":                      length(6, 0x93, byte(rpc.OpEnvironment), 1, 0x92, 0xa0, 0xa0),
		"bytes for a name":                     length(6, 0x93, byte(rpc.OpEnvironment), 1, 0x91, 0xc4, 0),
		"a name of 1 MiB":                      frame(&rpc.Environment{Name: strings.Repeat("x", 1<<20)}, 1),
		"a result over maxResultBytes":         frame(&rpc.Result{Value: append(rpc.Raw{0xc6, 0, 0x60, 0, 0}, make([]byte, 0x600000)...)}, 0),
		"half a frame, then the end":           env[:len(env)-1],
		"a negative size":                      frame(&rpc.FilesystemWrite{Path: "/p", Size: -1}, 1),
		"a frame with something after it":      length(uint32(len(env)-4+1), append(env[4:], 0xc0)...),
		"a write larger than its limit, whole": frame(&rpc.FilesystemWrite{Path: "/p", Size: 2 << 20, Data: make([]byte, 2<<20)}, 1),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, grants.Grants{}, nil)
			go func() { _, _ = io.Copy(io.Discard, readerOf(r)) }()
			go func() { // may block for good: nobody reads after the end
				_, _ = r.toUs.Write(b)
				_ = r.toUs.Close()
			}()
			tried++
			if s := r.wait(); !errors.Is(s.err, ErrProtocol) {
				t.Errorf("%+v", s)
				return
			}
			ended++
		})
	}
}

// Covers: T-RPC-03
func TestNothingFollowsAResult(t *testing.T) {
	r := newRig(t, grants.Grants{Environment: map[string]string{"A": "1"}}, nil)
	r.send(0, done())
	if s := r.wait(); s.err != nil {
		t.Fatal(s.err)
	}
	_ = rpc.NewWriter(r.toUs).Send(1, &rpc.Environment{Name: "A"})
	if len(r.memory.Records()) != 0 {
		t.Error("a call after the result was served")
	}
}

// Covers: T-RPC-02
func TestABegunFrameMustBecomeWholeInTime(t *testing.T) {
	r := newRig(t, grants.Grants{}, func(c *Config) { c.FrameTimeout = 20 * time.Millisecond })
	_, _ = r.toUs.Write([]byte{0, 0, 0, 9, 0x93})
	if s := r.wait(); !errors.Is(s.err, ErrProtocol) {
		t.Errorf("%+v", s)
	}
}

// Covers: T-RPC-02
func TestAFrameThatTricklesIsEndedToo(t *testing.T) {
	armed := 0
	r := newRig(t, grants.Grants{}, func(c *Config) {
		c.FrameTimeout = 250 * time.Millisecond
		deadline := c.Deadline
		c.Deadline = func(at time.Time) error {
			if !at.IsZero() {
				armed++
			}
			return deadline(at)
		}
	})
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for next := []byte{0, 0, 16, 0, 0x93, byte(rpc.OpResult), 0}; ; next = []byte{0x91} { // 4 KiB: 41 s
			if _, err := r.toUs.Write(next); err != nil {
				return
			}
			<-tick.C
		}
	}()
	if s := r.wait(); !errors.Is(s.err, ErrProtocol) || !strings.Contains(s.err.Error(), "not complete") || armed != 1 {
		t.Errorf("%+v, %d deadlines", s, armed)
	}
}

func TestAnIdleRealmIsNotAHalfFrame(t *testing.T) {
	r := newRig(t, grants.Grants{}, func(c *Config) { c.FrameTimeout = time.Millisecond })
	for range 3 {
		r.send(0, &rpc.Status{Stage: "s", Message: "m"})
		time.Sleep(5 * time.Millisecond) // longer than a frame may take
	}
	r.send(0, done())
	if s := r.wait(); s.err != nil {
		t.Error(s.err)
	}
}

// Covers: T-RPC-04
func TestConsoleStopsAtItsLimitsAndAFloodEndsTheRun(t *testing.T) {
	r := newRig(t, grants.Grants{Resources: grants.Resources{MaxLogBytes: 10}}, nil)
	r.send(0, &rpc.Console{Level: "log", Message: "12345"})
	r.send(0, &rpc.Console{Level: "log", Message: "6789é"})
	r.send(0, &rpc.Console{Level: "log", Message: "1"})
	r.send(0, done())
	r.wait()
	if !r.broker.Stats().LogsTruncated || !slices.Equal(r.printed.console, []string{"log 12345", "log 6789"}) {
		t.Errorf("%v", r.printed.console)
	}

	r = newRig(t, grants.Grants{Resources: grants.Resources{MaxLogBytes: 10}}, nil)
	go func() {
		w := rpc.NewWriter(r.toUs)
		for w.Send(0, &rpc.Console{Level: "log", Message: strings.Repeat("x", 100)}) == nil {
		}
	}()
	if s := r.wait(); !errors.Is(s.err, ErrProtocol) {
		t.Errorf("%+v", s)
	}
}

func TestStatusTextAboveTheLimitIsCountedAndDropped(t *testing.T) {
	r := newRig(t, grants.Grants{Resources: grants.Resources{MaxLogBytes: 10}}, nil)
	for _, message := range []string{"1234", "1234", "1234", ""} { // and one byte of stage
		r.send(0, &rpc.Status{Stage: "s", Message: message})
	}
	r.send(0, done())
	r.wait()
	if len(r.printed.status) != 2 || r.broker.Stats().StatusDropped != 2 {
		t.Errorf("%v %d", r.printed.status, r.broker.Stats().StatusDropped)
	}
}

func TestStatusEventsAboveTheLimitAreCountedAndDropped(t *testing.T) {
	r := newRig(t, grants.Grants{Resources: grants.Resources{MaxStatusEvents: 2}}, nil)
	for range 5 {
		r.send(0, &rpc.Status{Stage: "s", Message: "m"})
	}
	r.send(0, done())
	r.wait()
	if len(r.printed.status) != 2 || r.broker.Stats().StatusDropped != 3 {
		t.Errorf("%v %d", r.printed.status, r.broker.Stats().StatusDropped)
	}
}

// What is not granted is told before what is too large, and what is too large by its name.
func TestDataOverTheLimitIsRefusedAfterTheGrant(t *testing.T) {
	dir := t.TempDir()
	g := grants.Grants{
		Filesystem: grants.Filesystem{Write: []string{dir}}, Network: grants.Network{Origins: []string{"https://a.test"}, Methods: []string{"POST"}},
		Subprocess: grants.Subprocess{Commands: []string{"/bin/cat"}}, Tools: grants.Tools{Allowed: []string{"t"}}, Resources: grants.Resources{MaxWriteBytes: 1},
	}
	r := newRig(t, g, nil)
	for i, c := range []struct {
		call               rpc.Message
		capability, target string
	}{
		{&rpc.FilesystemWrite{Path: dir + "/f", Size: 2}, grants.ResourceBytes, dir + "/f"},
		{&rpc.FilesystemWrite{Path: "/etc/f", Size: 2}, grants.CapabilityFilesystemWrite, "/etc/f"},
		{&rpc.NetworkFetch{Method: "POST", URL: "https://a.test/x?y", Size: 2}, grants.ResourceBytes, "https://a.test/x"},
		{&rpc.NetworkFetch{Method: "POST", URL: "https://b.test/x", Size: 2}, grants.CapabilityNetwork, "https://b.test/x"},
		{&rpc.SubprocessSpawn{Path: "/bin/cat", Size: 2}, grants.ResourceBytes, "/bin/cat"},
		{&rpc.SubprocessSpawn{Path: "/bin/dog", Size: 2}, grants.CapabilitySubprocess, "/bin/dog"},
		{&rpc.ToolRequest{Method: "t", Size: 2, Params: rpc.Raw{0xc0}}, grants.ResourceBytes, "t"},
		{&rpc.ToolRequest{Method: "u", Size: 2, Params: rpc.Raw{0xc0}}, grants.CapabilityTool, "u"},
	} {
		r.send(uint64(i+1), c.call)
		if _, m := r.reply(); m.Error.Kind != rpc.KindDenied || m.Error.Capability != c.capability || m.Error.Target != c.target {
			t.Errorf("%+v: %+v", c.call, m.Error)
		}
	}
	r.send(0, done())
	r.wait()
}

// Covers: T-RPC-01
func TestLimitsHoldForARealmThatLiesAboutSizes(t *testing.T) {
	long := append([]byte{0xc6, 0, 1, 0, 0}, make([]byte, 64<<10)...)
	r := newRig(t, grants.Grants{Tools: grants.Tools{Allowed: []string{"t"}}, Resources: grants.Resources{MaxWriteBytes: 1, MaxResultBytes: 1}}, nil)
	r.send(1, &rpc.ToolRequest{Method: "t", Params: long})
	if _, m := r.reply(); m.Error.Capability != grants.ResourceBytes {
		t.Errorf("parameters: %+v", m)
	}
	r.send(0, &rpc.Result{Value: long})
	if s := r.wait(); !errors.Is(s.err, ErrProtocol) {
		t.Errorf("result: %+v", s)
	}
}

// Covers: T-RPC-01
func TestMemoryStaysFlatUnderHostileFrames(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const realms = 50
	for range realms {
		r := newRig(t, grants.Grants{}, nil)
		head := binary.BigEndian.AppendUint32(nil, 5<<20)
		_, _ = r.toUs.Write(append(head, 0x93, byte(rpc.OpResult), 0, 0x92))
		_ = r.toUs.Close()
		r.wait()
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > realms*(2<<20) { // what is garbage by now counts too
		t.Errorf("%d bytes were made room for", made)
	}
}
