//go:build probe && linux

package probe

import (
	"fmt"
	"slices"
)

// Layers says what a probe is up against.
type Layers string

const (
	All     Layers = "all"     // a realm after its lock
	Jitless Layers = "jitless" // the same, without executable memory
	Bare    Layers = "bare"    // everything but the filter
	Jail    Layers = "jail"    // a granted command's, its filter included
	Control Layers = "control" // nothing
)

// Probe tries one thing.
type Probe struct {
	Name  string // class/what, as it appears in reports
	Claim string // what must not happen

	// FilterOnly says why only the filter stops it, for probes whose attempt
	// succeeds without one and yet reaches nothing of anybody else's.
	FilterOnly string
	// ofTable marks what tries the realm's filter row by row.
	ofTable bool
	// only names the single set of layers that refuses it, if there is but one.
	only Layers
	// Works marks what succeeds in a process that nothing confines but user, pid,
	// mount and network namespaces of its own: the control run expects it.
	Works bool
	// Ends are further ends of the process, as the test describes them, that mean
	// containment: what a bomb dies of.
	Ends []string

	// Run reports whether the attack worked, and what shows it.
	Run func(Target) (worked bool, detail string)
}

// Target is what the test prepared outside for probes to aim at.
type Target struct {
	PID      int    // the supervisor, in its own pid namespace
	Port     int    // a TCP listener on 127.0.0.1
	Abstract string // an abstract unix socket that listens
	File     string // a readable file
	Last     int    // the highest number of a descriptor that was given
}

// Against tells whether the probe is meant for these layers.
func (p Probe) Against(layers Layers) bool {
	switch {
	case layers == Control:
		return p.Works
	case p.only != "" || layers == Jitless:
		return p.only == layers
	case layers == Bare:
		return p.FilterOnly == ""
	case layers == Jail:
		return jailMay[p.Name] == "" && !p.ofTable
	}
	return true
}

// Probes lists all of them.
func Probes() []Probe {
	return slices.Concat(
		fileProbes(), setIDProbes(), mountProbes(), namespaceProbes(), processProbes(), signalProbes(),
		privilegeProbes(), machineProbes(), memoryProbes(), jitlessProbes(), socketProbes(),
		descriptorProbes(), disclosureProbes(), exhaustionProbes(), doorProbes(), commandProbes(), argumentProbes(), sweepProbes(),
	)
}

func find(name string) (Probe, error) {
	for _, p := range Probes() {
		if p.Name == name {
			return p, nil
		}
	}
	return Probe{}, fmt.Errorf("no probe is called %q", name)
}
