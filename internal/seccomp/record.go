package seccomp

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Unneeded lists the rows that decide none of the recorded calls: candidates
// for removal once the record covers what the product does.
func Unneeded(table Table, recorded []Data) []Row {
	used := make([]bool, len(table.Rows))
	for _, data := range recorded {
		for i, row := range table.Rows {
			if row.Matches(data) {
				used[i] = true
				break
			}
		}
	}
	var unneeded []Row
	for i, row := range table.Rows {
		if !used[i] {
			unneeded = append(unneeded, row)
		}
	}
	return unneeded
}

// Unserved lists the recorded calls, one of each kind, that no row decides.
func Unserved(table Table, recorded []Data) []Data {
	var unserved []Data
	seen := map[Data]bool{}
	for _, data := range recorded {
		matches := func(row Row) bool { return row.Matches(data) }
		if !seen[data] && !slices.ContainsFunc(table.Rows, matches) {
			unserved = append(unserved, data)
		}
		seen[data] = true
	}
	return unserved
}

// ParseTrace reads what `strace -f -e raw=all -o FILE` wrote about one run of a
// supervisor, and returns the calls that the realm's threads made after their
// lock. A call whose name no row of the table has is returned by name in unknown,
// sorted. The error is the reader's, or names a call with a broken argument.
func ParseTrace(table Table, trace io.Reader) (recorded []Data, unknown []string, err error) {
	calls, err := readCalls(trace)
	if err != nil {
		return nil, nil, err
	}
	numbers := make(map[string]uint32, len(table.Rows))
	for _, row := range table.Rows {
		numbers[row.Call] = row.Number
	}
	realm := realmThreads(calls)
	strange := map[string]bool{}
	locked := false
	for _, c := range calls {
		if !locked {
			locked = c.locks()
			continue
		}
		if !realm[c.thread] || c.cut && !strings.HasPrefix(c.name, "exit") { // which call it was cannot be read any more
			continue
		}
		number, known := numbers[c.name]
		if !known {
			strange[c.name] = true
			continue
		}
		data := Data{Number: number, Arch: ArchX86_64}
		if data.Args, err = parseArgs(c.args); err != nil {
			return nil, nil, fmt.Errorf("trace of %s: %w", c.name, err)
		}
		recorded = append(recorded, data)
	}
	return recorded, slices.Sorted(maps.Keys(strange)), nil
}

// traced is one line of a trace.
type traced struct {
	thread, name, args string
	cut                bool // its thread was ended in it, though not by a filter
}

// locks: seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, …), as
// Install calls it; a command's launcher filters its only thread without the flag.
func (c traced) locks() bool {
	return c.name == "seccomp" && strings.HasPrefix(c.args, "0x1, 0x1, ")
}

// realmThreads are the thread that locks and all that the C library started: it
// registers each first thing, and the supervisor is built without it.
func realmThreads(calls []traced) map[string]bool {
	made := map[string]int{}
	realm := map[string]bool{}
	for _, c := range calls {
		made[c.thread]++
		registers := c.name == "rseq" || c.name == "set_robust_list"
		if c.locks() || registers && made[c.thread] <= 3 {
			realm[c.thread] = true
		}
	}
	for _, c := range calls {
		if c.name == "execve" { // a command's, by the same C library; a realm is executed by descriptor, and before its lock
			delete(realm, c.thread)
		}
	}
	return realm
}

// ParseCommandTrace is ParseTrace for one program that a process executes once it
// has locked itself. Calls that no row names are not told: they answer ENOSYS.
func ParseCommandTrace(table Table, trace io.Reader) ([]Data, error) {
	calls, err := readCalls(trace)
	if err != nil {
		return nil, err
	}
	numbers := make(map[string]uint32, len(table.Rows))
	for _, row := range table.Rows {
		numbers[row.Call] = row.Number
	}
	var recorded []Data
	locked, executed := false, false
	for _, c := range calls {
		locked = locked || c.locks()
		executed = executed || locked && c.name == "execve"
		number, known := numbers[c.name]
		if !executed || !known {
			continue
		}
		data := Data{Number: number, Arch: ArchX86_64}
		if data.Args, err = parseArgs(c.args); err != nil {
			return nil, fmt.Errorf("trace of %s: %w", c.name, err)
		}
		recorded = append(recorded, data)
	}
	return recorded, nil
}

func readCalls(trace io.Reader) ([]traced, error) {
	var calls []traced
	last := map[string]int{} // by thread
	lines := bufio.NewScanner(trace)
	for lines.Scan() {
		line := lines.Text()
		if c, ok := splitCall(line); ok {
			last[c.thread] = len(calls)
			calls = append(calls, c)
		}
		thread, rest, _ := strings.Cut(line, " ")
		i, ok := last[thread]
		switch {
		case !ok:
		case strings.Contains(rest, "+++ "): // its end
			calls[i].cut = calls[i].cut && !strings.Contains(rest, "SIGSYS")
		default: // the call, or the rest of it
			calls[i].cut = strings.HasSuffix(rest, "= ?") || strings.HasSuffix(rest, "<unfinished ...>")
		}
	}
	return calls, lines.Err()
}

// splitCall takes "12 read(0x3, 0x7f, 0x8) = 0x8" apart. Resumed calls, exits
// and signals are no calls.
func splitCall(line string) (traced, bool) {
	head, rest, ok := strings.Cut(line, "(")
	thread, name, two := strings.Cut(head, " ")
	name = strings.TrimLeft(name, " ")
	if !ok || !two || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return traced{}, false
	}
	args, _, _ := strings.Cut(rest, " <unfinished")
	args, _, _ = strings.Cut(args, ")")
	return traced{thread: thread, name: name, args: args}, true
}

func parseArgs(text string) (args [6]uint64, err error) {
	for i, field := range strings.Split(text, ", ") {
		if field == "" || i == len(args) {
			break
		}
		if args[i], err = strconv.ParseUint(field, 0, 64); err != nil {
			return args, err
		}
	}
	return args, nil
}
