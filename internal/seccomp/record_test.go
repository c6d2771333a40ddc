package seccomp

import (
	"slices"
	"strings"
	"testing"
)

func TestTraceYieldsTheCallsAfterTheLock(t *testing.T) {
	const trace = `11 socket(0x1, 0x1, 0) = 0x4
12 openat(0xffffff9c, 0x1000, 0x0) = 0x3
12 seccomp(0x1, 0x1, 0x2000) = 0
13 rseq(0x7f0000000000, 0x20, 0, 0x53053053) = 0
11 ptrace(0x1, 0x1, 0x2000) = 0
12 read(0x3, 0x7ffe, 0x8 <unfinished ...>
13 madvise(0x7f0000000000, 0x1000, 0x4) = 0
12 <... read resumed>) = -1 EAGAIN (Resource temporarily unavailable)
13 getpid() = 0x1
13 madvise(0x7f0000000000, 0x1000, 0x63) = -1 EINVAL (Invalid argument)
13 socket(0x1, 0x1, 0) = 0x4
13 exit(0) = ?
13 +++ exited with 0 +++
`
	recorded, unknown, err := ParseTrace(RealmTable(false), strings.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	var got []uint32
	for _, data := range recorded {
		got = append(got, data.Number)
	}
	if want := []uint32{334, 0, 28, 39, 28, 60}; !slices.Equal(got, want) {
		t.Errorf("calls %v, want %v", got, want)
	}
	if !slices.Equal(unknown, []string{"socket"}) {
		t.Errorf("unknown %v", unknown)
	}
	unserved := Unserved(RealmTable(false), recorded)
	if len(unserved) != 1 || unserved[0].Args[2] != 0x63 {
		t.Errorf("unserved %v", unserved)
	}
	needed := len(RealmTable(false).Rows) - len(Unneeded(RealmTable(false), recorded))
	if needed != 5 {
		t.Errorf("%d rows needed, want rseq, read, madvise, getpid and exit", needed)
	}
}

// What a thread is ended in has no name that can be relied on; what a filter ended it for has.
func TestTraceOfAnEndedThreadLeavesItsLastCallOut(t *testing.T) {
	for end, want := range map[string][]string{
		"12 shmat(0, 0, 0 <unfinished ...>\n13 exit_group(0) = ?\n12 <... shmat resumed>) = ?\n12 +++ exited with 0 +++\n": nil,
		"12 accept(0, 0, 0 <unfinished ...>\n12 +++ killed by SIGKILL +++\n":                                               nil,
		"12 munlock(0, 0) = ?\n": nil,
		"12 ptrace(0x10, 0x1, 0 <unfinished ...>\n13 <... read resumed>) = ?\n12 <... ptrace resumed>) = ?\n12 +++ killed by SIGSYS (core dumped) +++\n": {"ptrace"},
		"12 socket(0x1, 0x1, 0 <unfinished ...>\n12 <... socket resumed>) = 0x3\n":                                                                       {"socket"},
	} {
		_, unknown, err := ParseTrace(RealmTable(false), strings.NewReader("12 seccomp(0x1, 0x1, 0x2000) = 0\n13 rseq(0x7f0000000000) = 0\n13 read(0x3 <unfinished ...>\n"+end))
		if err != nil || !slices.Equal(unknown, want) {
			t.Errorf("%q: unknown %v, want %v, %v", end, unknown, want, err)
		}
	}
}

func TestTraceWithABrokenArgumentIsRefused(t *testing.T) {
	_, _, err := ParseTrace(RealmTable(false), strings.NewReader("1 seccomp(0x1, 0x1, 0x1)\n1 read(NULL, 0x1)\n"))
	if err == nil {
		t.Error("no error")
	}
}
