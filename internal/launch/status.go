//go:build linux

package launch

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// posture is what /proc/PID/task/TID/status says about one thread.
type posture struct {
	seccomp, noNewPrivs string
	uids, gids          string // real, effective, saved, file system, as we see them
	capabilities        string // the sets that are not empty, by name
	innerPID            string // in the innermost pid namespace
}

// parsePosture takes the lines that matter. A line that is missing leaves its field
// empty, which no check takes for good.
func parsePosture(status []byte) posture {
	var p posture
	sets := 0
	for line := range bytes.Lines(status) {
		name, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimSpace(value)
		switch string(name) {
		case "Seccomp":
			p.seccomp = string(value)
		case "NoNewPrivs":
			p.noNewPrivs = string(value)
		case "Uid":
			p.uids = string(value)
		case "Gid":
			p.gids = string(value)
		case "NSpid":
			p.innerPID = string(value[bytes.LastIndexByte(value, '\t')+1:])
		case "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb":
			sets++
			if len(bytes.Trim(value, "0")) != 0 {
				p.capabilities += " " + string(name) + "=" + string(value)
			}
		}
	}
	if sets != 5 {
		p.capabilities += " (not all of the five sets are told)"
	}
	return p
}

// check compares a posture with what every thread of a realm must have.
func (p *posture) check(uid uint32) error {
	id := strconv.FormatUint(uint64(uid), 10)
	four := id + "\t" + id + "\t" + id + "\t" + id
	switch {
	case p.seccomp != "2":
		return &Unenforceable{Layer: layer.Seccomp, Detail: fmt.Sprintf("a thread has seccomp mode %q, not 2", p.seccomp)}
	case p.noNewPrivs != "1":
		return &Unenforceable{Layer: layer.NoNewPrivs, Detail: fmt.Sprintf("a thread has no_new_privs %q, not 1", p.noNewPrivs)}
	case p.capabilities != "":
		return &Unenforceable{Layer: layer.Capabilities, Detail: "a thread has capabilities:" + p.capabilities}
	case p.uids != four:
		return &Unenforceable{Layer: layer.UserNS, Detail: fmt.Sprintf("a thread runs as user %q, not %d", p.uids, uid)}
	}
	return nil
}

// checkTasks reads the posture of every thread and returns how many there were.
func (p *Process) checkTasks(proc *procDir) (int, error) {
	threads, err := proc.list("task")
	if err != nil {
		return 0, err
	}
	n := 0
	for _, id := range threads {
		status, err := proc.read("task/" + id + "/status")
		if isGone(err) {
			continue // a thread that has ended meanwhile
		}
		if err != nil {
			return n, err
		}
		thread := parsePosture(status)
		if err := thread.check(p.uid); err != nil {
			return n, err
		}
		if id == strconv.Itoa(p.pid) && thread.innerPID != "1" {
			return n, &Unenforceable{Layer: layer.PidNS, Detail: fmt.Sprintf("it is process %q of its namespace, not 1", thread.innerPID)}
		}
		n++
	}
	if n == 0 {
		return 0, fmt.Errorf("process %d has ended", p.pid)
	}
	return n, nil
}

func isGone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH)
}
