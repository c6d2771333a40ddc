package confine

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/internal/layer"
)

// Config of a Host.
type Config struct {
	RealmPath string
	Log       *slog.Logger
	// AllowMissing are layers that may be missing, Require those that may not
	// even though they are optional: Require wins.
	AllowMissing, Require []string
	// Ahead lets Open return while the spawner is still starting: what is wrong with
	// the binary is then told by the first Start.
	Ahead bool
	// StartTimeout is how long a realm may take from clone to ready; 20 s if it is 0.
	StartTimeout time.Duration
}

// Host starts realms.
type Host struct {
	cfg     Config
	groups  *cgroup.Manager
	waived  []string // layers that are missing and were allowed to be
	present map[string]bool
	serial  atomic.Uint64
	swept   sync.WaitGroup

	mu      sync.Mutex
	spawner *launch.Spawner
	closed  bool
}

// Open finds what the host can enforce and starts the spawner. The error is a
// *launch.Unenforceable, a *launch.BinaryError, or says which name in
// AllowMissing or Require is no layer or cannot be waived.
func Open(cfg Config) (*Host, error) {
	if cfg.StartTimeout == 0 {
		cfg.StartTimeout = startTimeout
	}
	h := &Host{cfg: cfg, present: map[string]bool{}}
	if err := h.checkNames(); err != nil {
		return nil, err
	}
	groups, err := cgroup.Open()
	if err != nil {
		return nil, err
	}
	h.groups = groups
	if err := h.findLayers(); err != nil {
		_ = groups.Close()
		return nil, err
	}
	if cfg.Ahead {
		go func() { _, _ = h.live() }() // who needs it waits for it, or starts it again and is told
	} else if _, err := h.live(); err != nil {
		_ = groups.Close()
		return nil, err
	}
	h.swept.Go(h.sweep) // beside the first run, which need not wait for it
	return h, nil
}

// sweep removes what supervisors left that died together with their spawners.
// What cannot be removed is in nobody's way: names are never used twice.
func (h *Host) sweep() {
	if n, err := h.groups.Sweep(); n > 0 || err != nil {
		h.cfg.Log.Info("removed control groups of dead supervisors", "groups", n, "error", err)
	}
}

func (h *Host) checkNames() error {
	for _, name := range h.cfg.AllowMissing {
		if need, known := layer.NeedOf(name); !known || need != layer.Dispensable {
			return &NameError{Name: name, Option: "allow-missing"}
		}
	}
	for _, name := range h.cfg.Require {
		if _, known := layer.NeedOf(name); !known {
			return &NameError{Name: name, Option: "required layers"}
		}
	}
	return nil
}

// findLayers looks at the layers that a host may lack without a trial.
func (h *Host) findLayers() error {
	for _, name := range []string{layer.CgroupMemory, layer.CgroupPids, layer.CgroupCPU, layer.CgroupKill} {
		err := h.groups.Layer(name)
		if err == nil {
			h.present[name] = true
			continue
		}
		need, _ := layer.NeedOf(name)
		optional := need == layer.WherePresent || slices.Contains(h.cfg.AllowMissing, name)
		if !optional || slices.Contains(h.cfg.Require, name) {
			return err
		}
		if need == layer.Dispensable {
			h.waived = append(h.waived, name)
			h.cfg.Log.Warn("isolation layer is missing and was allowed to be", "layer", name, "detail", err.Error())
		}
	}
	h.present[layer.Landlock] = landlockABI() > 0
	if !h.present[layer.Landlock] && slices.Contains(h.cfg.Require, layer.Landlock) {
		return &layer.Unenforceable{Layer: layer.Landlock, Detail: "this kernel has no landlock", Fix: "boot with lsm=landlock,… on Linux 5.13 or newer"}
	}
	return nil
}

// Weakenings are the layers that runs go without because the operator said so.
func (h *Host) Weakenings() []string { return slices.Clone(h.waived) }

// Spawner is the present spawner, for what else is started or guarded.
func (h *Host) Spawner() (*launch.Spawner, error) { return h.live() }

// Landlock tells whether the kernel has it.
func (h *Host) Landlock() bool { return h.present[layer.Landlock] }

// limits leaves out those that no controller enforces and the operator waived.
func (h *Host) limits(memoryBytes, pids int64) cgroup.Limits {
	l := cgroup.Limits{MemoryBytes: memoryBytes, Pids: pids, CPUs: float64(runtime.NumCPU())}
	if !h.present[layer.CgroupMemory] {
		l.MemoryBytes = 0
	}
	if !h.present[layer.CgroupPids] {
		l.Pids = 0
	}
	if !h.present[layer.CgroupCPU] {
		l.CPUs = 0
	}
	return l
}

// CommandGroup makes the control group that the commands of one run share.
func (h *Host) CommandGroup(memoryBytes, pids int64) (*cgroup.Group, error) {
	name := "command-" + strconv.FormatUint(h.serial.Add(1), 10)
	return h.groups.Create(name, h.limits(memoryBytes, pids))
}

// live returns a spawner that lives, starting one when the last was killed.
func (h *Host) live() (*launch.Spawner, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, os.ErrClosed
	}
	if h.spawner != nil {
		select {
		case <-h.spawner.Dead():
			h.cfg.Log.Warn("the spawner has died; starting another")
			_ = h.spawner.Close()
		default:
			return h.spawner, nil
		}
	}
	s, err := launch.Start(h.cfg.RealmPath, h.cfg.Log)
	if err != nil {
		h.spawner = nil
		return nil, err
	}
	if err := s.GuardGroups(h.groups); err != nil {
		_ = s.Close()
		return nil, err
	}
	h.spawner = s
	return s, nil
}

// Close ends the spawner and with it whatever is still alive.
func (h *Host) Close() error {
	h.swept.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	var err error
	if h.spawner != nil {
		err = h.spawner.Close()
	}
	if cerr := h.groups.Close(); err == nil {
		err = cerr
	}
	return err
}

// NameError is a layer name that an option cannot take.
type NameError struct{ Name, Option string }

func (e *NameError) Error() string {
	if _, known := layer.NeedOf(e.Name); known {
		return fmt.Sprintf("%s: layer %q can never be waived; only cgroup.memory, cgroup.pids and cgroup.cpu can", e.Option, e.Name)
	}
	return fmt.Sprintf("%s: no isolation layer is called %q", e.Option, e.Name)
}
