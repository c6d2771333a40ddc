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

// sweepProbes make every call that the table does not let through, and x32
// calls all along the range.
func sweepProbes() []Probe {
	var probes []Probe
	table := seccomp.RealmTable(false)
	for number := range uint32(sweepUntil + 1) {
		if number != 335 && number != 336 { // see doors/uprobe
			probes = appendRefused(probes, table, fmt.Sprintf("sweep/%d", number), number, nothing)
		}
		if number%7 == 0 || 512 <= number && number <= 547 {
			probes = appendRefused(probes, table, fmt.Sprintf("sweep/x32-%d", number), number|x32, nothing)
		}
	}
	return probes
}

// argumentProbes start from arguments that the table allows and flip one bit
// that it checks: low ones, and those above the 32 that the kernel reads.
func argumentProbes() []Probe {
	var probes []Probe
	table := seccomp.RealmTable(false)
	seen := map[string]bool{}
	for _, row := range table.Rows {
		if row.Action != seccomp.Allow {
			continue
		}
		var allowed [6]uint64
		for _, c := range row.When {
			allowed[c.Arg] = allowed[c.Arg]&^c.Mask | c.Value
		}
		for _, c := range row.When {
			for _, bit := range []int{0, 2, 3, 5, 8, 12, 16, 18, 24, 30, 31, 32, 33, 47, 63} {
				args := allowed
				args[c.Arg] ^= 1 << bit
				name := fmt.Sprintf("arguments/%s-%d-%#x", row.Call, c.Arg, args[c.Arg])
				if c.Mask>>bit&1 == 0 || seen[name] {
					continue
				}
				seen[name] = true
				probes = appendRefused(probes, table, name, row.Number, args)
			}
		}
	}
	return probes
}

// appendRefused adds a probe for a call that the table refuses; it works if
// anything but the table's own error comes back.
func appendRefused(probes []Probe, table seccomp.Table, name string, number uint32, args [6]uint64) []Probe {
	action := table.Evaluate(seccomp.Data{Number: number, Arch: seccomp.ArchX86_64, Args: args})
	if action == seccomp.Allow {
		return probes
	}
	return append(probes, Probe{Name: name, Claim: "the filter refuses it", FilterOnly: "it is the filter that is tried", ofTable: true, Run: func(Target) (bool, string) {
		result, errno := call(uintptr(number), uintptr(args[0]), uintptr(args[1]), uintptr(args[2]), uintptr(args[3]), uintptr(args[4]), uintptr(args[5]))
		expected, ok := action.ErrnoOf()
		return !ok || uint16(errno) != expected, describe(result, errno)
	}})
}
