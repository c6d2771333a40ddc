package filesystem

import (
	"os"

	"golang.org/x/sys/unix"
)

// A temporary that has its name is locked by whoever writes it, and the kernel unlocks it when that process dies,
// however it does. One that nobody has locked was left by a supervisor that died together with its guard.

// sweepNames bounds how many names of one directory a sweep looks at.
const sweepNames = 1 << 14

// sweep removes the temporaries that dead supervisors left in a directory. What cannot be looked at or removed stays:
// it is in nobody's way, for names are never used twice.
func sweep(dir int) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	listed := os.NewFile(uintptr(fd), "write root")
	defer listed.Close()
	for seen := 0; seen < sweepNames; {
		names, err := listed.Readdirnames(batchNames)
		for _, name := range names {
			if IsTemporary(name) && abandoned(fd, name) {
				_ = unix.Unlinkat(fd, name, 0)
			}
		}
		if seen += len(names); err != nil {
			return
		}
	}
}

// abandoned reports whether name is a regular file that nobody has locked. Nothing else is opened.
func abandoned(dir int, name string) bool {
	held, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(held)
	var st unix.Stat_t
	if err := unix.Fstat(held, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	fd, err := reopen(held, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil
}

// sweepOnce sweeps a directory before the first write into it.
func (r *Roots) sweepOnce(dir int) {
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return
	}
	key := inode{st.Dev, st.Ino}
	r.mu.Lock()
	done := r.swept[key]
	r.swept[key] = true
	r.mu.Unlock()
	if !done {
		sweep(dir)
	}
}

// inode names a file for as long as the host runs.
type inode struct{ dev, ino uint64 }
