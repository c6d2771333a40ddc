package grants

import (
	"fmt"
	"path"
	"strings"
)

// maxPath is PATH_MAX: no kernel takes more.
const maxPath = 4096

// FileRead decides about reading a file. The error is a *Denial.
func (c *Checker) FileRead(guestPath string) (FileRead, error) {
	f, err := c.readable(guestPath, path.Dir)
	return FileRead{f}, err
}

// FileList decides about listing a directory. The error is a *Denial.
func (c *Checker) FileList(guestPath string) (FileList, error) {
	f, err := c.readable(guestPath, path.Clean)
	return FileList{f}, err
}

// FileStat decides about asking for a name's type and size. The error is a *Denial.
func (c *Checker) FileStat(guestPath string) (FileStat, error) {
	f, err := c.readable(guestPath, path.Dir)
	return FileStat{f}, err
}

// FileWrite decides about writing n bytes to a file, in place of it or at its end. The error is a *Denial.
func (c *Checker) FileWrite(guestPath string, n int) (FileWrite, error) {
	f, err := c.writable(guestPath)
	if err != nil {
		return FileWrite{}, err
	}
	if int64(n) > f.limit {
		return FileWrite{}, ExceededBytes(guestPath, "maxWriteBytes", f.limit, int64(n))
	}
	return FileWrite{f, int64(n)}, nil
}

// MakeDirectory decides about making a directory. The error is a *Denial.
func (c *Checker) MakeDirectory(guestPath string) (MakeDirectory, error) {
	f, err := c.writable(guestPath)
	return MakeDirectory{f}, err
}

// Remove decides about removing a file or an empty directory. The error is a *Denial.
func (c *Checker) Remove(guestPath string) (Remove, error) {
	f, err := c.writable(guestPath)
	if err == nil && f.rel == "." {
		return Remove{}, &Denial{CapabilityFilesystemWrite, Target(guestPath), "a granted root cannot be removed", ""}
	}
	return Remove{f}, err
}

func (c *Checker) readable(guestPath string, narrowest func(string) string) (file, error) {
	return locate(guestPath, c.grants.Filesystem.Read, CapabilityFilesystemRead, "read", narrowest, c.limits.MaxReadBytes)
}

func (c *Checker) writable(guestPath string) (file, error) {
	return locate(guestPath, c.grants.Filesystem.Write, CapabilityFilesystemWrite, "write", path.Dir, c.limits.MaxWriteBytes)
}

// locate finds the root that holds a guest's path by its text alone. The executor asks the kernel again. Narrowest is the root
// that would do for a path which none holds: a root is a directory, so that of a file is the one it lies in.
func locate(guestPath string, roots []string, capability, key string, narrowest func(string) string, limit int64) (file, error) {
	deny := func(rule, hint string) (file, error) {
		return file{}, &Denial{capability, Target(guestPath), rule, hint}
	}
	switch {
	case strings.Contains(guestPath, "\x00"):
		return deny("the path holds a NUL byte", "")
	case len(guestPath) > maxPath:
		return deny(fmt.Sprintf("the path is longer than %d bytes", maxPath), "")
	case !path.IsAbs(guestPath):
		return deny("the path is not absolute", absoluteHint(guestPath, roots))
	}
	clean := path.Clean(guestPath)
	best := ""
	for _, root := range roots {
		if len(root) > len(best) && within(root, clean) {
			best = root
		}
	}
	if best == "" {
		return deny("the path is outside the granted roots", rootHint(key, narrowest(clean)))
	}
	return file{path: guestPath, root: best, rel: relative(best, clean), limit: limit, valid: true}, nil
}

// within reports whether a clean absolute path is root or lies beneath it.
func within(root, clean string) bool {
	return root == "/" || clean == root || strings.HasPrefix(clean, root) && clean[len(root)] == '/'
}

func relative(root, clean string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(clean, root), "/")
	if rel == "" {
		return "."
	}
	return rel
}

func rootHint(key, root string) string {
	if validPath(root) != "" {
		return ""
	}
	return fmt.Sprintf("filesystem: {%s: [%s]}", key, flow(root))
}

func absoluteHint(guestPath string, roots []string) string {
	if len(roots) != 1 {
		return "use the absolute path of a file in a granted root"
	}
	return "use the absolute path, such as " + Shorten(path.Join(roots[0], path.Clean("/"+guestPath)))
}
