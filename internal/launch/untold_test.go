//go:build linux

package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A process is killed by its pidfd: one whose pidfd does not arrive is not left running.
//
// Covers: T-RES-02
func TestWhatCouldNotBeKilledDoesNotRun(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"crowded", unix.EMFILE.Error()},
		{"congested", unix.ETOOMANYREFS.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := helper(t, c.name)
			if os.Geteuid() == 0 { // for whom there is no limit on descriptors under way
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: plainUser, Gid: plainUser}}
			}
			said, err := cmd.Output()
			if err != nil || string(said) != c.want {
				t.Errorf("%q, %v; want %q", said, err, c.want)
			}
		})
	}
}

// crowded has no descriptor left to receive a pidfd with.
func crowded() int {
	return untold(func(*Spawner) (func(), error) {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 64}); err != nil {
			return nil, err
		}
		last := -1
		for {
			fd, err := unix.Dup(0)
			if errors.Is(err, unix.EMFILE) {
				return func() { unix.Close(last) }, nil
			}
			if err != nil {
				return nil, err
			}
			last = fd
		}
	})
}

// congested has more descriptors under way than its spawner may add to.
func congested() int {
	return untold(func(s *Spawner) (func(), error) {
		const few = 600 // a launch takes numbers below it
		if err := unix.Prlimit(s.PID(), unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: few, Max: few}, nil); err != nil {
			return nil, err
		}
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		for range 3 { // no message takes more than 253
			if err := unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(make([]int, few/3+1)...), nil, 0); err != nil {
				return nil, err
			}
		}
		return func() {}, nil
	})
}

// untold asks for a realm that waits for ever, after hinder has kept its pidfd from
// arriving. It prints why there is none, once there is none.
func untold(hinder func(*Spawner) (ease func(), err error)) int {
	s, err := Start(probePath, quiet())
	if err != nil {
		return fail(err)
	}
	defer s.Close()
	in, open, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	defer open.Close() // the realm waits for it
	live, held, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	ease, err := hinder(s)
	if err != nil {
		return fail(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err = s.Spawn(ctx, Spec{Kind: Realm, Args: []string{"realm", "ready"}, Files: []*os.File{in, in, in, in, held}})
	held.Close()
	ease()
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return fail(fmt.Errorf("spawn: %v", err))
	}
	if err := live.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return fail(err)
	}
	if _, err := io.Copy(io.Discard, live); err != nil {
		return fail(fmt.Errorf("the realm lives: %w", err))
	}
	fmt.Print(errno)
	return 0
}

func TestAnIgnoredSIGCHLDKeepsNoEndFromBeingTold(t *testing.T) {
	if said, err := helper(t, "deaf").Output(); err != nil || string(said) != "7" {
		t.Errorf("exit status %q, %v", said, err)
	}
}

// deaf ignores what a kernel tells of the ends of children, and hands that on to the spawner.
func deaf() int {
	signal.Ignore(unix.SIGCHLD)
	s, err := Start(probePath, quiet())
	if err != nil {
		return fail(err)
	}
	defer s.Close()
	p, err := s.Spawn(context.Background(), Spec{Kind: Realm, Args: []string{"realm", "exit"}, Files: make([]*os.File, 5)})
	if err != nil {
		return fail(err)
	}
	select {
	case <-p.Done():
		fmt.Print(p.Wait().Code)
		return 0
	case <-time.After(20 * time.Second):
		return fail(errors.New("the end was not told"))
	}
}
