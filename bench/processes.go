package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// process times one run of a command, from fork to reaping.
func process(into *series, argv ...string) func(bool) error {
	return func(count bool) error {
		cmd := exec.Command(argv[0], argv[1:]...)
		var errors bytes.Buffer
		cmd.Stderr = &errors
		start := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%v: %w: %s", argv, err, errors.Bytes())
		}
		if d := time.Since(start); count {
			into.addTime(d)
		}
		return nil
	}
}

// self is a command of this program's helper.
func self(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", append([]string{name}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// helpers are what this program is when it runs as somebody's peer.
var helpers = map[string]func() error{
	"echo-peer": echoPeer,
	"pipe-peer": pipePeer,
}

// bubblewrap is bwrap with everything unshared and the host's files read-only.
func bubblewrap(argv ...string) []string {
	return append([]string{"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}, argv...)
}
