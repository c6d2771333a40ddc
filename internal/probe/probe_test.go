//go:build probe && linux

package probe

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const atOnce = 4

// Covers: T-SYS-01, T-NS-05, T-RES-04, T-CMD-01, T-CMD-06, T-CMD-07
func TestNoProbeGetsOutAsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this is the rootless half")
	}
	shootAll(t, "root")
}

// Covers: T-SYS-01, T-RES-04, T-CMD-01, T-CMD-06
func TestNoProbeGetsOutRootless(t *testing.T) {
	if os.Geteuid() != 0 {
		shootAll(t, "rootless")
		return
	}
	asUser(t, "TestNoProbeGetsOutRootless")
}

// shootAll launches every probe against every set of layers that it is meant for; with
// -short those that somebody thought of, against the sets that a release uses.
func shootAll(t *testing.T, mode string) {
	r := openRange(t)
	sets := []Layers{All, Jitless, Jail}
	if !testing.Short() {
		sets = append(sets, Bare)
	}
	for _, layers := range sets {
		counts := newTally()
		each(Probes(), func(probe Probe) {
			if !probe.Against(layers) || !chosen(probe) || testing.Short() && generated(probe) {
				return
			}
			v := r.shoot(t, probe, layers)
			counts.add(probe, v)
			if !v.contained {
				t.Errorf("%s against %s: %s: %s", probe.Name, layers, probe.Claim, v.how)
			} else if testing.Verbose() {
				t.Logf("%s against %s: %s", probe.Name, layers, v.how)
			}
		})
		summarise(t, mode, layers, counts)
	}
}

// summarise logs a line a class, as internal/evidence collects them.
func summarise(t *testing.T, mode string, layers Layers, counts *tally) {
	t.Helper()
	attempted, contained := 0, 0
	for _, class := range slices.Sorted(maps.Keys(counts.attempted)) {
		t.Logf("attacks: %s native-%s %s %d %d", mode, layers, class, counts.attempted[class], counts.contained[class])
		attempted += counts.attempted[class]
		contained += counts.contained[class]
	}
	t.Logf("%s against %s: attempted %d, contained %d, not contained %d", mode, layers, attempted, contained, attempted-contained)
}

// A probe that could not work anywhere proves nothing: where nothing but fresh
// namespaces holds it, it must get through.
func TestProbesWorkWithoutConfinement(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("namespaces with a uid of their own need root")
	}
	target := Target{PID: 1, Port: 9, Abstract: "nobody", File: "/etc/passwd", Last: 2}
	each(Probes(), func(probe Probe) {
		if !probe.Against(Control) || !chosen(probe) {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), giveUp)
		defer cancel()
		cmd := exec.CommandContext(ctx, nativePath, append([]string{"--probe=" + probe.Name, "--layers=" + string(Control)}, target.args()...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET |
				syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWCGROUP,
			UidMappings: []syscall.SysProcIDMap{{HostID: rootlessUID, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: rootlessUID, Size: 1}},
			Credential:  &syscall.Credential{NoSetGroups: true},
		}
		said, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Errorf("%s: %v", probe.Name, err)
			return
		}
		if strings.Contains(string(said), "NOT CONTAINED "+probe.Name) {
			return
		}
		if strings.HasPrefix(probe.Name, "doors/") && exit != nil && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGSEGV {
			t.Logf("%s: this kernel has no such door", probe.Name)
			return
		}
		t.Errorf("%s does not work even here: %v %q", probe.Name, err, said)
	})
}

func TestProbesAreNamedOnceAndClaimSomething(t *testing.T) {
	names := map[string]bool{}
	native, works := 0, 0
	for _, probe := range Probes() {
		if names[probe.Name] || probe.Claim == "" || probe.Run == nil || !strings.Contains(probe.Name, "/") {
			t.Errorf("%q is a duplicate or incomplete", probe.Name)
		}
		names[probe.Name] = true
		if !generated(probe) {
			native++
		}
		if probe.Works {
			works++
		}
	}
	for name, why := range jailMay {
		if !names[name] || why == "" {
			t.Errorf("%q may be done in a jail, but is no probe or lacks its reason", name)
		}
	}
	if works < 150 {
		t.Errorf("%d probes are known to work where nothing holds them, want 150", works)
	}
	t.Logf("%d probes, %d of them generated, %d known to work where nothing holds them", len(names), len(names)-native, works)
}

// generated tells a probe of the sweeps over calls and arguments, of which there
// are a thousand, from one that somebody thought of.
func generated(p Probe) bool {
	return strings.HasPrefix(p.Name, "sweep/") || strings.HasPrefix(p.Name, "arguments/")
}

// each runs a few at once.
func each(probes []Probe, do func(Probe)) {
	slots := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for _, probe := range probes {
		slots <- struct{}{}
		group.Add(1)
		go func() {
			defer func() { <-slots; group.Done() }()
			do(probe)
		}()
	}
	group.Wait()
}
