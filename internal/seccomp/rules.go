package seccomp

import "strconv"

// Action is what the kernel does with a call: a SECCOMP_RET value as in
// seccomp(2), the errno in its low half. The zero value kills one thread only;
// no table uses it.
type Action uint32

// The actions that tables use beside Errno.
const (
	KillProcess Action = 0x80000000 // ends every thread with SIGSYS
	Allow       Action = 0x7fff0000

	errnoAction Action = 0x00050000
)

// Errno answers a call with an error without executing it. Errors are the
// numbers that all Linux architectures share (below 35), or those named here.
func Errno(number uint16) Action { return errnoAction | Action(number) }

// The errors that tables answer with. They are Linux numbers, whatever system
// this package is compiled on.
const (
	eperm        = 1
	enoent       = 2
	eacces       = 13
	enotty       = 25
	enosys       = 38
	eafnosupport = 97
)

// ErrnoOf returns the error of an Errno action.
func (a Action) ErrnoOf() (number uint16, ok bool) {
	return uint16(a), a&0xffff0000 == errnoAction
}

func (a Action) String() string {
	switch a {
	case Allow:
		return "allow"
	case KillProcess:
		return "kill"
	}
	number, ok := a.ErrnoOf()
	if !ok {
		return "action 0x" + strconv.FormatUint(uint64(a), 16)
	}
	switch number {
	case eperm:
		return "EPERM"
	case enoent:
		return "ENOENT"
	case eacces:
		return "EACCES"
	case enotty:
		return "ENOTTY"
	case enosys:
		return "ENOSYS"
	case eafnosupport:
		return "EAFNOSUPPORT"
	}
	return "errno " + strconv.Itoa(int(number))
}

// Condition holds when the bits of Mask in argument Arg (0 to 5) equal Value.
// A Mask of all ones is a plain comparison. Value has no bit outside Mask.
type Condition struct {
	Arg   uint8
	Mask  uint64
	Value uint64
}

// Holds reports whether the condition is met by the arguments.
func (c Condition) Holds(args [6]uint64) bool { return args[c.Arg]&c.Mask == c.Value }

// Row is one rule: the action for a call whose arguments meet every condition
// in When; no conditions match every call of that number.
type Row struct {
	Call   string // name as in syscalls(2)
	Number uint32 // x86-64
	Action Action
	When   []Condition
	User   string // who needs the row, or what it answers and why
}

// Matches reports whether the row decides this call.
func (r Row) Matches(data Data) bool {
	if data.Number != r.Number {
		return false
	}
	for _, c := range r.When {
		if !c.Holds(data.Args) {
			return false
		}
	}
	return true
}

// Table is a filter as rules. Rows of one call with different actions never
// overlap, so that their order carries no meaning (a test holds this); what no
// row matches gets Default. Calls of another architecture, and of x32, are
// killed by every table.
type Table struct {
	Name    string
	Default Action
	Rows    []Row
}

// Tables lists every filter of this build.
func Tables() []Table {
	return []Table{RealmTable(false), RealmTable(true), CommandTable()}
}

const (
	all64 = ^uint64(0)
	all32 = uint64(0xffffffff)
)

// eq compares all 64 bits: right for a row that allows.
func eq(arg uint8, value uint64) Condition { return Condition{arg, all64, value} }

// low compares the low 32 bits: for an int argument, of which the kernel
// ignores the upper half.
func low(arg uint8, value uint32) Condition { return Condition{arg, all32, uint64(value)} }

// has holds when every one of the bits is set, none when every one is clear.
func has(arg uint8, bits uint64) Condition  { return Condition{arg, bits, bits} }
func none(arg uint8, bits uint64) Condition { return Condition{arg, bits, 0} }

// within holds when no bit outside the given ones is set.
func within(arg uint8, bits uint64) Condition { return Condition{arg, ^bits, 0} }

func when(conditions ...Condition) []Condition { return conditions }
