package broker

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/internal/capability/filesystem"
	"realm.internal/supervisor/internal/capability/secret"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
)

type printed struct{ console, status []string }

func (p *printed) Console(level, m string) { p.console = append(p.console, level+" "+m) }
func (p *printed) Status(stage, m string)  { p.status = append(p.status, stage+" "+m) }

// rig is a broker between two pipes whose other ends a test holds.
type rig struct {
	t       *testing.T
	broker  *Broker
	memory  *audit.Memory
	printed *printed
	toUs    io.WriteCloser // what the realm would write to
	fromUs  *rpc.Reader
	end     chan served
	killed  chan struct{}
}

type served struct {
	end End
	err error
}

func newRig(t *testing.T, g grants.Grants, change func(*Config)) *rig {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	files, err := filesystem.Open(g.Filesystem.Read, g.Filesystem.Write, filesystem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := secret.Open(g, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, memory: audit.NewMemory(), printed: &printed{}, toUs: inW, fromUs: rpc.NewReader(outR), end: make(chan served, 1), killed: make(chan struct{})}
	checker := grants.NewChecker(g)
	cfg := Config{
		Reader: rpc.NewReader(inR), Deadline: inR.SetReadDeadline, Out: rpc.NewWriter(outW),
		Checker: checker, Budget: grants.NewBudget(checker.Limits()), Trail: NewTrail("r", r.memory, nil),
		Executors: Executors{Files: files, Secrets: secrets}, Events: r.printed,
		Kill: func() { close(r.killed); _ = inW.Close() },
	}
	if change != nil {
		change(&cfg)
	}
	r.broker = New(cfg)
	go func() {
		end, err := r.broker.Serve(context.Background())
		r.end <- served{end, err}
	}()
	t.Cleanup(func() {
		for _, c := range []io.Closer{inR, inW, outR, outW, files} {
			_ = c.Close()
		}
	})
	return r
}

func (r *rig) send(id uint64, m rpc.Message) {
	r.t.Helper()
	if err := rpc.NewWriter(r.toUs).Send(id, m); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) reply() (uint64, rpc.Reply) {
	r.t.Helper()
	f, err := r.fromUs.Next(func(rpc.Op) (int, error) { return rpc.MaxFrameBytes, nil })
	if err != nil {
		r.t.Fatal(err)
	}
	var m rpc.Reply
	if err := f.Decode(&m); err != nil {
		r.t.Fatal(err)
	}
	return f.ID, m
}

func (r *rig) wait() served {
	r.t.Helper()
	select {
	case s := <-r.end:
		return s
	case <-time.After(20 * time.Second):
		r.t.Fatal("the broker did not end")
		return served{}
	}
}

func (r *rig) outcomes() string {
	var all []string
	for _, rec := range r.memory.Records() {
		all = append(all, rec.Capability+":"+string(rec.Outcome))
	}
	return strings.Join(all, " ")
}

func done() *rpc.Result { return &rpc.Result{Value: rpc.Raw{0xc0}} }
