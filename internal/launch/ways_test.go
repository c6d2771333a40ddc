//go:build linux

package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// way gives up every capability but $KEEP, executes itself once more as what is left, and
// prints which way a realm is started then, and as which user.
func way() int {
	if keep, ok := os.LookupEnv("KEEP"); ok {
		runtime.LockOSThread() // what executes is this thread
		if err := keepOnly(strings.Fields(keep)); err != nil {
			return fail(err)
		}
		os.Unsetenv("KEEP")
		return fail(syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
	}
	s, err := Start(probePath, quiet())
	if err != nil {
		return fail(err)
	}
	defer s.Close()
	p, err := s.Spawn(context.Background(), Spec{Kind: Realm, Args: []string{"realm", "exit"}, Files: make([]*os.File, 5)})
	if err != nil {
		var missing *Unenforceable
		if !errors.As(err, &missing) {
			return fail(err)
		}
		fmt.Print(missing.Layer, ": ", missing.Fix)
		return 0
	}
	uid := strconv.FormatUint(uint64(p.UID()), 10)
	if p.UID() >= 0x70000000 {
		uid = "own"
	}
	fmt.Printf("root=%v lacks=%q user=%s exit=%d", s.Root(), s.RootLacks(), uid, p.Wait().Code)
	return 0
}

// keepOnly narrows the calling thread's bounding set and the rest of its sets with it.
func keepOnly(numbers []string) error {
	keep := map[string]bool{}
	for _, n := range numbers {
		keep[n] = true
	}
	for number := range 64 {
		if keep[strconv.Itoa(number)] {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(number), 0, 0, 0); err != nil && err != unix.EINVAL {
			return err
		}
	}
	return nil
}

// Root mode takes capabilities and ids, not uid 0: who lacks them starts realms the
// rootless way, and says what is lacking.
// Covers: T-NS-02
func TestTheWayIsChosenByWhatRootModeTakes(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root has something to give up
	}
	caps := func(list ...int) string { return "KEEP=" + strings.Trim(fmt.Sprint(list), "[]") }
	ordinary := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: plainUser, Gid: plainUser}}
	able := &syscall.SysProcAttr{Credential: ordinary.Credential, AmbientCaps: []uintptr{unix.CAP_SETUID, unix.CAP_SETGID}}
	alone := &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}},
	}
	few := &syscall.SysProcAttr{
		Cloneflags:                 syscall.CLONE_NEWUSER,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 65536}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 65536}},
		GidMappingsEnableSetgroups: true,
	}
	rootless := func(user int, lacks string) string {
		return fmt.Sprintf("root=false lacks=%q user=%d exit=7", lacks, user)
	}
	for claim, c := range map[string]struct {
		attr *syscall.SysProcAttr
		env  string
		want string
	}{
		"root":                           {nil, "", `root=true lacks="" user=own exit=7`},
		"root with two capabilities":     {nil, caps(unix.CAP_SETUID, unix.CAP_SETGID), `root=true lacks="CAP_SYS_ADMIN" user=own exit=7`},
		"root without CAP_SETUID":        {nil, caps(unix.CAP_SETGID, unix.CAP_SETFCAP), rootless(0, "CAP_SETUID")},
		"root without CAP_SETGID":        {nil, caps(unix.CAP_SETUID, unix.CAP_SETFCAP), rootless(0, "CAP_SETGID")},
		"root that may not map itself":   {nil, caps(), "userns: user 0 without CAP_SETFCAP"},
		"root of a namespace of one id":  {alone, "", rootless(0, "their ids in this user namespace")},
		"root of a namespace of few ids": {few, "", rootless(0, "their ids in this user namespace")},
		"a namespace without ids":        {&syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}, "", "userns: the surrounding user namespace maps no ids"},
		"another namespace's /proc":      {&syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}, "", "userns: /proc is none of this pid namespace"},
		"an ordinary user":               {ordinary, "", rootless(plainUser, "CAP_SETUID")},
		"a user with two capabilities":   {able, "", `root=true lacks="CAP_SYS_ADMIN" user=own exit=7`},
	} {
		cmd := helper(t, "way", c.env)
		cmd.Dir, cmd.SysProcAttr = "/", c.attr
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), c.want) {
			t.Errorf("%s: %v\n  got  %s\n  want %s", claim, err, out, c.want)
		}
	}
}
