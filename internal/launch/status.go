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

// posture is what /proc/TID/status says about one thread.
type posture struct {
	process, threads    string // the id of its process, and how many threads that has
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
		case "Tgid":
			p.process = string(value)
		case "Threads":
			p.threads = string(value)
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

// checkTasks reads the posture of every thread and returns how many there were. The
// control group tells which they are. Listing /proc/PID/task would leave an entry of
// each below the process's own, and when the process ends the kernel takes both down
// at one time, one spinning until the other is done: on busy processors that was a
// third of all that a run costs.
func (p *Process) checkTasks(proc *procDir) (int, error) {
	if p.spec.Group != nil {
		ids, err := p.spec.Group.Threads()
		if err != nil {
			return 0, err
		}
		n, told, err := p.checkThreads(proc, "../", ids)
		if err != nil || told == strconv.Itoa(n) {
			return n, err
		}
	}
	ids, err := proc.list("task") // no group, or a thread began or ended meanwhile
	if err != nil {
		return 0, err
	}
	n, _, err := p.checkThreads(proc, "task/", ids)
	if err == nil && n == 0 {
		err = fmt.Errorf("process %d has ended", p.pid)
	}
	return n, err
}

// checkThreads checks those of ids that are threads of the process, whose directories are
// in dir. It returns how many they were, and how many the kernel says there are.
func (p *Process) checkThreads(proc *procDir, dir string, ids []string) (n int, told string, err error) {
	self := strconv.Itoa(p.pid)
	for _, id := range ids {
		status, err := proc.read(dir + id + "/status")
		if isGone(err) {
			continue // a thread that has ended meanwhile
		}
		if err != nil {
			return n, told, err
		}
		thread := parsePosture(status)
		if thread.process != self {
			continue
		}
		if err := thread.check(p.uid); err != nil {
			if leaves, _ := proc.leaves(dir + id); leaves {
				continue
			}
			return n, told, err
		}
		if id == self {
			told = thread.threads
			if thread.innerPID != "1" {
				return n, told, &Unenforceable{Layer: layer.PidNS, Detail: fmt.Sprintf("it is process %q of its namespace, not 1", thread.innerPID)}
			}
		}
		n++
	}
	return n, told, nil
}

// exiting is PF_EXITING of the kernel's include/linux/sched.h.
const exiting = 0x4

// leaves tells whether a thread has begun to end, or has ended: it will not return from
// the kernel. Since 6.11 a filter that is loaded for all threads passes over those.
func (d *procDir) leaves(thread string) (bool, error) {
	stat, err := d.read(thread + "/stat")
	if err != nil {
		return isGone(err), err
	}
	// The name in parentheses may hold anything; flags are the seventh field after it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 7 {
		return false, d.wrap("read", thread+"/stat", unix.EINVAL)
	}
	flags, err := strconv.ParseUint(string(fields[6]), 10, 64)
	return flags&exiting != 0, err
}

func isGone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH)
}
