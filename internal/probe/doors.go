//go:build probe && linux

package probe

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// doorProbes enter the kernel by other ways than the syscall instruction with a
// native number.
func doorProbes() []Probe {
	const plain = "it is only another way to the same calls"
	noDoor := []string{"SIGSEGV", "SIGILL", "SIGBUS", "exit status 2"}
	var probes []Probe
	for name, number := range map[string]uint32{
		"getpid": 20, "exit": 1, "fork": 2, "open": 5, "execve": 11, "ptrace": 26, "mount": 21, "socketcall": 102, "clone": 120, "mmap2": 192,
	} {
		probes = append(probes, Probe{Name: "doors/int80-" + name, Claim: "no 32-bit call by int 0x80", FilterOnly: plain, Works: name != "exit", Ends: noDoor[:1],
			Run: func(Target) (bool, string) { return int80(number) }})
	}
	for name, number := range map[string]uintptr{
		"read": 0, "write": 1, "open": 2, "mmap": 9, "getpid": 39, "fork": 57, "exit": 60, "futex": 202, "rt_sigaction": 512, "ioctl": 514,
		"execve": 520, "ptrace": 521, "recvmsg": 519, "kexec_load": 528, "vmsplice": 532, "process_vm_readv": 539, "setsockopt": 541, "execveat": 545,
	} {
		probes = append(probes, Probe{Name: "doors/x32-" + name, Claim: "no x32 call", FilterOnly: plain, Run: func(Target) (bool, string) {
			result, errno := call(1<<30|number, bad, bad, bad, bad, bad, bad)
			return errno != syscall.ENOSYS, describe(result, errno)
		}})
	}
	for name, number := range map[string]uintptr{"bit-31": 1 << 31, "bits-30-31": 3 << 30, "maximum": 0x7fffffff, "all-ones-but-one": 0xfffffffe} {
		probes = append(probes, Probe{Name: "doors/number-" + name, Claim: "no call beyond the table", FilterOnly: plain, Run: func(Target) (bool, string) {
			result, errno := call(number|39, 0)
			return errno == 0, describe(result, errno)
		}})
	}
	for name, offset := range map[string]uintptr{"time": 0x400, "getcpu": 0x800} {
		probes = append(probes, Probe{Name: "doors/vsyscall-" + name, Claim: "no refused call by the vsyscall page", FilterOnly: plain, Ends: noDoor, Run: func(Target) (bool, string) {
			entry := 0xffffffffff600000 + offset
			function := &entry
			kept.Pin(function)
			(*(*func())(unsafe.Pointer(&function)))()
			return true, "returned"
		}})
	}
	return append(probes,
		Probe{Name: "doors/compat-segment", Claim: "no 32-bit call from a 32-bit code segment", FilterOnly: plain, Works: true, Ends: noDoor, Run: compatSegment},
		Probe{Name: "doors/sysenter", Claim: "no 32-bit call by sysenter", FilterOnly: plain, Ends: noDoor, Run: func(Target) (bool, string) {
			run, err := machineCode(0, []byte{0xb8, 20, 0, 0, 0, 0x0f, 0x34, 0xc3}) // mov eax, 20; sysenter; ret
			if err != nil {
				return false, err.Error()
			}
			run()
			return true, "returned"
		}},
		Probe{Name: "doors/uretprobe", Claim: "the call that passes every filter does nothing", Ends: noDoor, Run: succeeds(335, with(bad, bad, bad, bad, bad, bad))},
		Probe{Name: "doors/uprobe", Claim: "the call that passes every filter does nothing", Ends: noDoor, Run: succeeds(336, with(bad, bad, bad, bad, bad, bad))},
	)
}

// machineCode puts code into executable memory, at a fixed place if at is not 0.
func machineCode(at uintptr, code []byte) (func(), error) {
	flags := uintptr(unix.MAP_PRIVATE | unix.MAP_ANON)
	if at != 0 {
		flags |= unix.MAP_FIXED
	}
	place, errno := call(unix.SYS_MMAP, at, page, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, flags, bad, 0)
	if errno != 0 {
		return nil, errno
	}
	copy(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), place)), page), code)
	entry := &place
	kept.Pin(entry)
	return *(*func())(unsafe.Pointer(&entry)), nil
}

// resultAt is where machine code leaves the answer of a call, in a page that
// 32-bit code can address.
const lowPage, resultAt = 0x20000000, 0x20000800

// int80 makes a 32-bit call with arguments that belong to nothing.
func int80(number uint32) (bool, string) {
	code := []byte{0x53, 0xb8} // push rbx; mov eax, number
	code = binary.LittleEndian.AppendUint32(code, number)
	code = append(code,
		0x31, 0xdb, 0xff, 0xcb, // xor ebx, ebx; dec ebx
		0x31, 0xc9, 0xff, 0xc9, // ecx likewise
		0x31, 0xd2, 0xff, 0xca, // edx likewise
		0xcd, 0x80, // int 0x80
		0xa3) // mov [resultAt], eax
	code = binary.LittleEndian.AppendUint64(code, resultAt)
	code = append(code, 0x5b, 0xc3) // pop rbx; ret
	run, err := machineCode(lowPage, code)
	if err != nil {
		return false, err.Error()
	}
	run()
	return answered()
}

// answered: any answer is one too many.
func answered() (bool, string) {
	result := *(*int32)(unsafe.Add(unsafe.Pointer(nil), uintptr(resultAt)))
	return true, fmt.Sprint("answered ", result)
}

// compatSegment enters 32-bit mode by a far return and calls from there.
func compatSegment(Target) (bool, string) {
	const savedAt, stackTop, at32, at64 = lowPage + 0x900, lowPage + 0xf00, lowPage + 0x100, lowPage + 0x200
	code := make([]byte, page)
	entry := []byte{0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x48, 0x89, 0xe0, 0x48, 0xa3} // push rbx, rbp, r12 to r15; mov rax, rsp; mov [savedAt], rax
	entry = binary.LittleEndian.AppendUint64(entry, savedAt)
	entry = append(entry, 0x48, 0xbc) // mov rsp, stackTop
	entry = binary.LittleEndian.AppendUint64(entry, stackTop)
	entry = append(entry, 0x6a, 0x23, 0x68) // push the 32-bit segment; push at32
	entry = binary.LittleEndian.AppendUint32(entry, at32)
	entry = append(entry, 0x48, 0xcb) // far return
	copy(code, entry)

	// By the stack segment, since a 64-bit process has no data segment.
	narrow := []byte{0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0x36, 0xa3} // mov eax, getpid; int 0x80; mov ss:[resultAt], eax
	narrow = binary.LittleEndian.AppendUint32(narrow, resultAt)
	narrow = append(narrow, 0xea) // far jump back
	narrow = binary.LittleEndian.AppendUint32(narrow, at64)
	narrow = append(narrow, 0x33, 0)
	copy(code[at32-lowPage:], narrow)

	back := []byte{0x48, 0xa1} // mov rax, [savedAt]
	back = binary.LittleEndian.AppendUint64(back, savedAt)
	back = append(back, 0x48, 0x89, 0xc4, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3) // mov rsp, rax; pop them all; ret
	copy(code[at64-lowPage:], back)

	run, err := machineCode(lowPage, code)
	if err != nil {
		return false, err.Error()
	}
	run()
	return answered()
}
