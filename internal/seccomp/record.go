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

// ParseTrace reads the output of `strace -f -e raw=all` and returns the calls
// that follow the first seccomp(2) in it: what a realm does after its lock. A
// call whose name no row of the table has is returned by name in unknown,
// sorted. The error is the reader's, or names a line with a broken argument.
func ParseTrace(table Table, trace io.Reader) (recorded []Data, unknown []string, err error) {
	numbers := make(map[string]uint32, len(table.Rows))
	for _, row := range table.Rows {
		numbers[row.Call] = row.Number
	}
	strange := map[string]bool{}
	locked := false
	lines := bufio.NewScanner(trace)
	for lines.Scan() {
		name, args, ok := splitCall(lines.Text())
		if !ok {
			continue
		}
		if !locked {
			locked = name == "seccomp"
			continue
		}
		number, known := numbers[name]
		if !known {
			strange[name] = true
			continue
		}
		data := Data{Number: number, Arch: ArchX86_64}
		if data.Args, err = parseArgs(args); err != nil {
			return nil, nil, fmt.Errorf("trace of %s: %w", name, err)
		}
		recorded = append(recorded, data)
	}
	return recorded, slices.Sorted(maps.Keys(strange)), lines.Err()
}

// splitCall takes "12 read(0x3, 0x7f, 0x8) = 0x8" apart. Resumed calls, exits
// and signals are no calls.
func splitCall(line string) (name, args string, ok bool) {
	head, rest, ok := strings.Cut(line, "(")
	if !ok {
		return "", "", false
	}
	name = head[strings.LastIndexByte(head, ' ')+1:]
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return "", "", false
	}
	args, _, _ = strings.Cut(rest, " <unfinished")
	args, _, _ = strings.Cut(args, ")")
	return name, args, name != ""
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
