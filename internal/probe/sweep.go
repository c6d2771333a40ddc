//go:build probe && linux

package probe

import (
	"fmt"

	"realm.internal/supervisor/internal/seccomp"
)

const (
	sweepUntil = 600
	x32        = 1 << 30
)

// nothing are arguments that belong to nothing.
var nothing = [6]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// attempt is one call, to be made of a filter's table.
type attempt struct {
	name   string
	number uint32
	args   [6]uint64
	answer seccomp.Action
}

// refused keeps of some attempts those that the table does not let through.
func refused(table seccomp.Table, attempts []attempt) []attempt {
	var kept []attempt
	for _, a := range attempts {
		a.answer = table.Evaluate(seccomp.Data{Number: a.number, Arch: seccomp.ArchX86_64, Args: a.args})
		if a.answer != seccomp.Allow {
			kept = append(kept, a)
		}
	}
	return kept
}

// works tells whether anything but the table's own error comes back.
func (a attempt) works() (bool, string) {
	result, errno := call(uintptr(a.number), uintptr(a.args[0]), uintptr(a.args[1]), uintptr(a.args[2]), uintptr(a.args[3]), uintptr(a.args[4]), uintptr(a.args[5]))
	expected, ok := a.answer.ErrnoOf()
	return !ok || uint16(errno) != expected, describe(result, errno)
}

const (
	refusedClaim = "the filter refuses it"
	filterItself = "it is the filter that is tried"
)

// realmProbes try a realm's filter with each attempt, in a process of its own:
// most of its refusals end one.
func realmProbes(attempts []attempt) []Probe {
	var probes []Probe
	for _, a := range refused(seccomp.RealmTable(false), attempts) {
		probes = append(probes, Probe{Name: a.name, Claim: refusedClaim, FilterOnly: filterItself, ofTable: true, Run: func(Target) (bool, string) { return a.works() }})
	}
	return probes
}

// sweepProbes make every call that the table does not let through, and x32
// calls all along the range.
func sweepProbes() []Probe {
	var attempts []attempt
	for number := range uint32(sweepUntil + 1) {
		if number != 335 && number != 336 { // see doors/uprobe
			attempts = append(attempts, attempt{name: fmt.Sprintf("sweep/%d", number), number: number, args: nothing})
		}
		if number%7 == 0 || 512 <= number && number <= 547 {
			attempts = append(attempts, attempt{name: fmt.Sprintf("sweep/x32-%d", number), number: number | x32, args: nothing})
		}
	}
	return realmProbes(attempts)
}

func argumentProbes() []Probe { return realmProbes(arguments(seccomp.RealmTable(false))) }

// arguments start from those that a row asks for. Where it allows, one bit that
// it looks at is flipped; where it refuses, one that it does not look at: low
// bits, and those above the 32 that the kernel reads.
func arguments(table seccomp.Table) []attempt {
	var attempts []attempt
	seen := map[string]bool{}
	for _, row := range table.Rows {
		var asked [6]uint64
		for _, c := range row.When {
			asked[c.Arg] = asked[c.Arg]&^c.Mask | c.Value
		}
		for _, c := range row.When {
			for _, bit := range []int{0, 2, 3, 5, 8, 12, 16, 18, 24, 30, 31, 32, 33, 47, 63} {
				args := asked
				args[c.Arg] ^= 1 << bit
				name := fmt.Sprintf("arguments/%s-%d-%#x", row.Call, c.Arg, args[c.Arg])
				if looks := c.Mask>>bit&1 == 1; looks != (row.Action == seccomp.Allow) || seen[name] {
					continue
				}
				seen[name] = true
				attempts = append(attempts, attempt{name: name, number: row.Number, args: args})
			}
		}
	}
	return attempts
}

// commandProbes do to a command's filter what sweeps do to a realm's. Its refusals
// are errors, so that one process makes many calls; those that end it, by x32,
// are among the doors.
func commandProbes() []Probe {
	table := seccomp.CommandTable()
	var probes []Probe
	add := func(name string, attempts []attempt) {
		attempts = refused(table, attempts)
		if len(attempts) == 0 {
			return
		}
		probes = append(probes, Probe{Name: "command/" + name, Claim: refusedClaim, FilterOnly: filterItself, only: Jail, Run: func(Target) (bool, string) {
			for _, a := range attempts {
				if worked, detail := a.works(); worked {
					return true, fmt.Sprintf("%d %s %#x: %s", a.number, a.name, a.args, detail)
				}
			}
			return false, fmt.Sprint(len(attempts), " calls")
		}})
	}
	for first := uint32(0); first <= sweepUntil; first += 50 {
		var attempts []attempt
		for number := first; number < first+50; number++ {
			if number != 335 && number != 336 {
				attempts = append(attempts, attempt{number: number, args: nothing})
			}
		}
		add(fmt.Sprint("calls-from-", first), attempts)
	}
	calls := map[uint32]string{}
	ofCall := map[uint32][]attempt{}
	for _, row := range table.Rows {
		calls[row.Number] = row.Call
	}
	for _, a := range arguments(table) {
		ofCall[a.number] = append(ofCall[a.number], a)
	}
	for number, attempts := range ofCall {
		add("arguments-of-"+calls[number], attempts)
	}
	return probes
}
