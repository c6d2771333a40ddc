// Package launch starts confined processes through the spawner and reads back
// from the kernel what really confines them.
//
// The spawner is the realm binary in another life: a small C program that clones,
// maps ids, and reaps, so that the heap of the process that uses this library is
// never copied. It outlives a supervisor that is killed, and cleans up after it.
//
// # Trust
//
// The spawner is trusted and its messages come over a private socket pair. The
// processes that it starts are not: nothing they write is read here.
//
// # Concurrency
//
// A Spawner and a Process may be used by several goroutines.
package launch

import (
	"syscall"
	"time"

	"realm.internal/supervisor/internal/layer"
)

// InsideUID is the user and group id that a confined process has in its own
// user namespace. It is never 0: an exec as another id clears every capability.
const InsideUID = 1000

// Unenforceable says which isolation layer this host cannot enforce.
type Unenforceable = layer.Unenforceable

// Kind of a confined process.
type Kind uint8

const (
	Realm   Kind = iota + 1 // the realm binary in an empty root, as pid 1
	Command                 // a granted command as pid 2 below our init, in a root of mounts
	Trial                   // every step of a realm's launch, then exit 0
)

// Rlimits of a confined process, soft and hard alike. The zero value of a field
// is the default in brackets.
type Rlimits struct {
	OpenFiles    uint64        // [64; 1024 for a command]
	FileBytes    uint64        // largest file it may write [0; 1 GiB for a command]
	CPU          time.Duration // rounded up to seconds [unlimited]
	StackBytes   uint64        // [8 MiB]
	AddressSpace uint64        // [unlimited: V8 reserves a terabyte]
	Processes    uint64        // tasks of its host uid, as a second fence [unlimited]
}

// Mount is one entry of a command's root.
type Mount struct {
	Source   string // absolute host path of a directory or file, symlinks resolved
	Target   string // absolute path inside; parents are made
	Writable bool   // else read-only
	MapOwner bool   // root mode: the owner on disk appears as the command's own uid (an id-mapped mount)
	Optional bool   // leave it out if Source does not exist
	Link     string // not empty: no mount, but a symbolic link at Target with this text
	Content  string // not empty: no mount, but a read-only file at Target with this content
	Device   uint64 // with Inode: the identity that Source must still have; 0, 0 is not checked
	Inode    uint64
}

// Program is what a Command executes.
type Program struct {
	Path     string // absolute path inside the jail
	Device   uint64 // identity that Path must have there; 0, 0 is not checked
	Inode    uint64
	Dir      string   // working directory inside; empty means "/"
	Mounts   []Mount  // see SystemMounts
	Seccomp  []byte   // filter as an array of struct sock_filter; required
	TmpBytes int64    // size of its private /tmp [64 MiB]
	Execute  []string // landlock: the only files (and directories) inside that it may execute; nil allows all
}

// Exit is how a process ended.
type Exit struct {
	Code        int            // exit status, if Signal is 0
	Signal      syscall.Signal // what killed it, or 0
	CPU         time.Duration  // user and system time, descendants that were waited for included
	MaxRSSBytes int64
	Lost        bool // the spawner died first; the process was killed with it
}
