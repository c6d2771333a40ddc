//go:build linux

// Package doctor tries every isolation layer on this host and says what is
// missing, why, and what would fix it.
//
// # Trust
//
// It reads the kernel's files and starts a trial process that does nothing but the
// steps of a launch.
//
// # Concurrency
//
// Probe may be called by several goroutines.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/internal/layer"
	"realm.internal/supervisor/internal/seccomp"
)

// Layer is one layer of a Report.
type Layer struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Present  bool   `json:"present"`
	Detail   string `json:"detail"`
	Fix      string `json:"fix"` // empty when present
}

// Report lists every layer, and what grants need besides. OK means that no required
// one is missing, and none that is used where present fails.
type Report struct {
	OK     bool    `json:"ok"`
	Layers []Layer `json:"layers"`
}

// Probe tries every layer with the realm binary at path. An error means that the
// binary cannot be used (*launch.BinaryError); a missing layer is no error.
func Probe(ctx context.Context, path string, log *slog.Logger) (*Report, error) {
	manager, cgroupErr := cgroup.Open()
	if cgroupErr == nil {
		defer manager.Close()
	}
	f := findings{present: map[string]string{}, missing: map[string]*launch.Unenforceable{}}
	spawner, err := launch.Start(path, log)
	var refused *launch.Unenforceable
	if errors.As(err, &refused) { // nothing else can be tried
		f.missing[refused.Layer] = refused
		return f.report(), nil
	}
	if err != nil {
		return nil, err
	}
	defer spawner.Close()
	group := f.groups(manager, cgroupErr)
	if group != nil {
		defer group.Remove()
	}
	f.kernel(spawner.LandlockABI())
	if err := f.trial(ctx, spawner, group); err != nil {
		return nil, err
	}
	if !f.refused {
		if err := f.command(ctx, spawner, group, path); err != nil {
			return nil, err
		}
	}
	return f.report(), nil
}

// findings collects, by layer, what is there and what is not.
type findings struct {
	present map[string]string
	missing map[string]*launch.Unenforceable
	refused bool // the trial: nothing could be launched
}

func (f *findings) lacks(name, detail, fix string) {
	f.missing[name] = &launch.Unenforceable{Layer: name, Detail: detail, Fix: fix}
}

// steps lists the layers of a launch in the order in which it comes to them.
var steps = [...]string{
	layer.UserNS, layer.PidNS, layer.MountNS, layer.NetNS, layer.IPCNS, layer.UTSNS, layer.CgroupNS,
	layer.RootFS, layer.Rlimits, layer.Capabilities, layer.NoNewPrivs,
}

// trial launches a process through every step. What comes before a refused step
// works; what comes after it stays untried.
func (f *findings) trial(ctx context.Context, s *launch.Spawner, group *cgroup.Group) error {
	process, err := s.Spawn(ctx, launch.Spec{
		Kind: launch.Trial, Args: []string{"trial"}, Files: make([]*os.File, 3),
		Group: group, Landlock: s.LandlockABI() > 0,
	})
	var refused *launch.Unenforceable
	if errors.As(err, &refused) {
		f.missing[refused.Layer], f.refused = refused, true
	} else if err != nil {
		return err
	} else if exit := process.Wait(); exit.Code != 0 || exit.Signal != 0 {
		return fmt.Errorf("the trial process ended with status %d, signal %v", exit.Code, exit.Signal)
	}
	for _, name := range steps {
		if refused != nil && refused.Layer == name {
			break
		}
		f.present[name] = "tried"
	}
	if refused == nil {
		f.present[layer.UserNS] = "tried; " + users(s)
	}
	return nil
}

// command launches one in a root of mounts. The only program that is known to be there is the realm's.
func (f *findings) command(ctx context.Context, s *launch.Spawner, group *cgroup.Group, path string) error {
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	const inside = "/trial"
	process, err := s.Spawn(ctx, launch.Spec{
		Kind: launch.Command, Args: []string{inside}, Files: make([]*os.File, 3), Group: group, Landlock: s.LandlockABI() > 0,
		Program: &launch.Program{Path: inside, Mounts: []launch.Mount{{Source: file, Target: inside}}, Seccomp: seccomp.Command()},
	})
	var refused *launch.Unenforceable
	if errors.As(err, &refused) {
		f.lacks(layer.Commands, refused.Layer+": "+refused.Detail, refused.Fix)
		return nil
	}
	if err != nil {
		return err
	}
	f.present[layer.Commands] = "tried"
	err = process.Kill()
	process.Wait()
	return err
}

// users says which host users realms have, and why not users of their own.
func users(s *launch.Spawner) string {
	switch lacks := s.RootLacks(); {
	case !s.Root():
		return fmt.Sprintf("realms run as user %d; for host users of their own the supervisor lacks %s", os.Geteuid(), lacks)
	case lacks != "":
		return "every realm gets a host user of its own; commands have no write roots: the supervisor lacks " + lacks
	}
	return "every realm gets a host user of its own"
}

// report orders the findings. A layer that nothing was found out about was behind
// the step that failed.
func (f *findings) report() *Report {
	r := &Report{OK: !f.refused}
	for _, name := range append(layer.All(), layer.OpenAt2, layer.Commands) {
		need, known := layer.NeedOf(name)
		l := Layer{Name: name, Required: known && need != layer.WherePresent}
		detail, present := f.present[name]
		switch missing := f.missing[name]; {
		case missing != nil:
			l.Detail, l.Fix = missing.Detail, missing.Fix
		case present:
			l.Present, l.Detail = true, detail
		default:
			l.Detail = "not tried: " + f.first() + " was refused before"
		}
		if l.Required && !l.Present {
			r.OK = false
		}
		r.Layers = append(r.Layers, l)
	}
	return r
}

// first names a missing layer of the launch, for those that come after it.
func (f *findings) first() string {
	for _, name := range layer.All() {
		if f.missing[name] != nil {
			return name
		}
	}
	return "another layer"
}
