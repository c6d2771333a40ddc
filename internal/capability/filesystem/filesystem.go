// Package filesystem carries out file operations that package grants has decided about.
//
// Each granted root is held open as a descriptor from the moment it is granted, and every path is resolved beneath
// that descriptor by openat2 with RESOLVE_BENEATH: what a symbolic link, a renamed directory or a second process does
// between the decision and the operation cannot lead out of the root. Only regular files are read and written, files
// of pseudo file systems (proc, sysfs, cgroup, …) are refused whatever the root is, and nothing that could block is
// ever opened for reading.
//
// # Trust
//
// Roots come from the host. Paths reach this package only inside tickets; what lies below a root may be hostile.
//
// # Concurrency
//
// A Roots may be used by many goroutines until it is closed.
package filesystem

import "realm.internal/supervisor/pkg/grants"

// The types of names, as a guest sees them.
const (
	TypeFile      = "file"
	TypeDirectory = "directory"
	TypeSymlink   = "symlink"
	TypeOther     = "other"
)

// Range is the part of a file to read.
type Range struct {
	Offset int64 // bytes to skip; not negative
	Length int64 // bytes to read at most; 0 means all, see Limited
	// Limited makes a Length of 0 mean no bytes.
	Limited bool
}

// Entry is one name in a directory. A symbolic link is reported as what it is.
type Entry struct {
	Name string
	Type string
	Size int64 // bytes of a file, else 0
}

// Info is what a path leads to: symbolic links within the root are followed.
type Info struct {
	Type       string
	Size       int64 // bytes of a file, else 0
	ModifiedMs int64 // Unix milliseconds
}

// Guard is told of a temporary name before it appears in a directory, so that whoever outlives the supervisor can
// remove it. release is called once the name is gone. dir is a descriptor that is valid until release is called.
type Guard interface {
	Guard(dir int, name string) (release func(), err error)
}

// Options are the ways to open roots.
type Options struct {
	// Exclusions are host paths that no write root may hold: the realm's binary, the policy, the audit log.
	Exclusions []string
	// Ceilings are the roots of a policy that every root must be reached beneath, also through symbolic links. Nil:
	// whoever grants may grant every directory.
	Ceilings *grants.Filesystem
	// Guard protects temporaries; nil: nobody is told.
	Guard Guard

	named bool // tests: write as on file systems that have no nameless files
}

// ticket is what the tickets for files have in common.
type ticket interface {
	Valid() bool
	Path() string
	Root() string
	Relative() string
}

var _ = []ticket{grants.FileRead{}, grants.FileList{}, grants.FileStat{}, grants.FileWrite{}, grants.MakeDirectory{}, grants.Remove{}}
