//go:build probe && linux

package probe

import (
	"flag"
	"fmt"
	"runtime"
	"syscall"

	"realm.internal/supervisor/internal/seccomp"
)

// Main runs the probe that the arguments name and returns the exit status. It
// writes to descriptor 2, first that it attempts, then how that went; a process
// that a filter kills has only done the first.
func Main(args []string) int {
	runtime.LockOSThread()
	var target Target
	var name, layers string
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.StringVar(&name, "probe", "", "")
	flags.StringVar(&layers, "layers", "", "")
	flags.IntVar(&target.PID, "pid", 0, "")
	flags.IntVar(&target.Port, "port", 0, "")
	flags.StringVar(&target.Abstract, "abstract", "", "")
	flags.StringVar(&target.File, "file", "", "")
	flags.IntVar(&target.Last, "last", lastDonated, "")
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	probe, err := find(name)
	if err != nil {
		say("failed %v", err)
		return 2
	}
	if err := lock(Layers(layers)); err != nil {
		say("failed %s: %v", name, err)
		return 2
	}
	say("attempt %s", name)
	worked, detail := probe.Run(target)
	if worked {
		say("NOT CONTAINED %s: %s", name, detail)
		return 1
	}
	say("contained %s: %s", name, detail)
	return 0
}

// lock ends a realm's start, as the realm itself does.
func lock(layers Layers) error {
	switch layers {
	case All:
		return seccomp.Install(seccomp.Realm(false))
	case Jitless:
		return seccomp.Install(seccomp.Realm(true))
	}
	return nil
}

func say(format string, args ...any) {
	line := []byte(fmt.Sprintf(format, args...) + "\n")
	_, _ = syscall.Write(2, line)
}
