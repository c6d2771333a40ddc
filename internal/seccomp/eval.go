package seccomp

import (
	"encoding/binary"
	"fmt"
)

// Data is one call as a filter sees it, struct seccomp_data in seccomp(2).
type Data struct {
	Number             uint32
	Arch               uint32
	InstructionPointer uint64
	Args               [6]uint64
}

// Architectures as in linux/audit.h, and the bit that marks an x32 call. Numbers
// with any higher bit are no calls at all.
const (
	ArchX86_64 uint32 = 0xc000003e
	ArchI386   uint32 = 0x40000003

	x32Bit uint32 = 0x40000000
)

// Evaluate is the meaning of the table, against which programs are tested.
func (t Table) Evaluate(data Data) Action {
	if data.Arch != ArchX86_64 {
		return KillProcess
	}
	// -1 is what a tracer leaves to skip a call: no x32 number, no row either.
	if data.Number >= x32Bit && data.Number != 0xffffffff {
		return KillProcess
	}
	for _, row := range t.Rows {
		if row.Matches(data) {
			return row.Action
		}
	}
	return t.Default
}

// bytes lays the call out as the kernel does on a little-endian machine.
func (d Data) bytes() (b [64]byte) {
	binary.LittleEndian.PutUint32(b[0:], d.Number)
	binary.LittleEndian.PutUint32(b[4:], d.Arch)
	binary.LittleEndian.PutUint64(b[8:], d.InstructionPointer)
	for i, arg := range d.Args {
		binary.LittleEndian.PutUint64(b[16+8*i:], arg)
	}
	return b
}

// instruction is struct sock_filter of linux/filter.h.
type instruction struct {
	code uint16
	jt   uint8
	jf   uint8
	k    uint32
}

const (
	instructionBytes = 8
	maxInstructions  = 4096 // BPF_MAXINSNS
)

// The instructions that compiled filters consist of. The evaluator knows no
// others: a program that needs more is an error, not a guess.
const (
	opLoad   = 0x20 // BPF_LD|BPF_W|BPF_ABS
	opAnd    = 0x54 // BPF_ALU|BPF_AND|BPF_K
	opJump   = 0x05 // BPF_JMP|BPF_JA
	opEqual  = 0x15 // BPF_JMP|BPF_JEQ|BPF_K
	opGreat  = 0x25 // BPF_JMP|BPF_JGT|BPF_K
	opAtLst  = 0x35 // BPF_JMP|BPF_JGE|BPF_K
	opReturn = 0x06 // BPF_RET|BPF_K
)

// decode splits a program into its instructions.
func decode(program []byte) ([]instruction, error) {
	count := len(program) / instructionBytes
	if count == 0 || count > maxInstructions || len(program)%instructionBytes != 0 {
		return nil, fmt.Errorf("%w: %d bytes", ErrProgram, len(program))
	}
	list := make([]instruction, count)
	for i := range list {
		b := program[i*instructionBytes:]
		list[i] = instruction{binary.LittleEndian.Uint16(b), b[2], b[3], binary.LittleEndian.Uint32(b[4:])}
	}
	return list, nil
}

// Run evaluates a compiled program on one call and reports its answer and how
// many instructions that took. Errors wrap ErrProgram.
func Run(program []byte, data Data) (action Action, steps int, err error) {
	list, err := decode(program)
	if err != nil {
		return 0, 0, err
	}
	return execute(list, data, nil)
}

// execute marks each instruction that it reaches in covered, if not nil.
func execute(list []instruction, data Data, covered []bool) (Action, int, error) {
	input := data.bytes()
	var a uint32
	for pc, steps := 0, 1; pc < len(list); pc, steps = pc+1, steps+1 {
		if covered != nil {
			covered[pc] = true
		}
		in := list[pc]
		taken := false
		switch in.code {
		case opLoad:
			if in.k > 60 || in.k%4 != 0 {
				return 0, steps, fmt.Errorf("%w: load of offset %d at %d", ErrProgram, in.k, pc)
			}
			a = binary.LittleEndian.Uint32(input[in.k:])
			continue
		case opAnd:
			a &= in.k
			continue
		case opJump:
			if in.k >= uint32(len(list)) {
				return 0, steps, fmt.Errorf("%w: jump by %d at %d", ErrProgram, in.k, pc)
			}
			pc += int(in.k)
			continue
		case opReturn:
			return Action(in.k), steps, nil
		case opEqual:
			taken = a == in.k
		case opGreat:
			taken = a > in.k
		case opAtLst:
			taken = a >= in.k
		default:
			return 0, steps, fmt.Errorf("%w: unknown instruction %#x at %d", ErrProgram, in.code, pc)
		}
		if taken {
			pc += int(in.jt)
		} else {
			pc += int(in.jf)
		}
	}
	return 0, 0, fmt.Errorf("%w: runs off its end", ErrProgram)
}
