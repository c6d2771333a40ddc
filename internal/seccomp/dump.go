package seccomp

import (
	"fmt"
	"strings"
)

// Dump writes a program as text, one instruction a line, jumps with their
// absolute targets and calls with the names that the table has for them. Errors
// wrap ErrProgram.
func Dump(table Table, program []byte) (string, error) {
	list, err := decode(program)
	if err != nil {
		return "", err
	}
	names := make(map[uint32]string, len(table.Rows))
	for _, row := range table.Rows {
		names[row.Number] = row.Call
	}
	var text strings.Builder
	held := accumulator(list)
	for pc, in := range list {
		fmt.Fprintf(&text, "%4d  %s\n", pc, line(in, pc, held[pc], names))
	}
	return text.String(), nil
}

// accumulator tells for each instruction which field it finds loaded: "" where
// nothing leads to it, "?" where paths with different fields meet. Jumps only
// go forward, so that one pass sees them all.
func accumulator(list []instruction) []string {
	held := make([]string, len(list))
	for pc, in := range list {
		for _, next := range successors(in, pc) {
			if next >= len(list) {
				continue
			}
			now := held[pc]
			if in.code == opLoad {
				now = field(in.k)
			}
			if held[next] != "" && held[next] != now {
				now = "?"
			}
			held[next] = now
		}
	}
	return held
}

// successors are the instructions that may follow.
func successors(in instruction, pc int) []int {
	switch in.code {
	case opReturn:
		return nil
	case opJump:
		return []int{pc + 1 + int(in.k)}
	case opLoad, opAnd:
		return []int{pc + 1}
	}
	return []int{pc + 1 + int(in.jt), pc + 1 + int(in.jf)}
}

// line renders one instruction; loaded is the field that it compares.
func line(in instruction, pc int, loaded string, names map[uint32]string) string {
	operator := "=="
	switch in.code {
	case opLoad:
		return "load " + field(in.k)
	case opAnd:
		return fmt.Sprintf("and %#x", in.k)
	case opJump:
		return fmt.Sprintf("goto %d", pc+1+int(in.k))
	case opReturn:
		return "return " + Action(in.k).String()
	case opEqual:
	case opGreat:
		operator = ">"
	case opAtLst:
		operator = ">="
	default:
		return fmt.Sprintf("unknown %#x", in.code)
	}
	text := fmt.Sprintf("if %s %s %#x goto %d else %d", loaded, operator, in.k, pc+1+int(in.jt), pc+1+int(in.jf))
	if loaded == "call" {
		text = fmt.Sprintf("if call %s %d goto %d else %d", operator, in.k, pc+1+int(in.jt), pc+1+int(in.jf))
		if name, ok := names[in.k]; ok {
			text += "  # " + name
		}
	}
	return text
}

// field names what a load at this offset of struct seccomp_data reads.
func field(offset uint32) string {
	switch {
	case offset == 0:
		return "call"
	case offset == 4:
		return "arch"
	case offset < 16:
		return fmt.Sprintf("ip+%d", offset-8)
	}
	half := "low"
	if offset%8 != 0 {
		half = "high"
	}
	return fmt.Sprintf("arg%d.%s", (offset-16)/8, half)
}
