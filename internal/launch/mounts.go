//go:build linux

package launch

import (
	"fmt"
	"os"
	"path"
	"strings"
)

const defaultTmpBytes = 64 << 20

func (p *Program) tmpBytes() int64 {
	if p.TmpBytes > 0 {
		return p.TmpBytes
	}
	return defaultTmpBytes
}

func (m Mount) source() string {
	switch {
	case m.Link != "":
		return m.Link
	case m.Content != "":
		return m.Content
	}
	return m.Source
}

func (m Mount) flags(root bool) uint32 {
	switch {
	case m.Link != "":
		return mountSymlink
	case m.Content != "":
		return mountContent
	}
	var f uint32
	if m.Writable {
		f |= mountWritable
	}
	// Without root the command runs as the supervisor's own user: no map needed.
	if m.MapOwner && root {
		f |= mountMapOwner
	}
	if m.Optional {
		f |= mountOptional
	}
	return f
}

// check refuses what could never be mounted, before a process exists for it.
func (m Mount) check() error {
	if !path.IsAbs(m.Target) || path.Clean(m.Target) != m.Target || m.Target == "/" {
		return fmt.Errorf("mount target %q is not a clean absolute path below /", m.Target)
	}
	for _, own := range []string{"/proc", "/tmp"} {
		if m.Target == own || strings.HasPrefix(m.Target, own+"/") && own == "/proc" {
			return fmt.Errorf("mount target %q is the jail's own", m.Target)
		}
	}
	if m.Link == "" && m.Content == "" && !path.IsAbs(m.Source) {
		return fmt.Errorf("mount source %q is not absolute", m.Source)
	}
	return nil
}

// SystemMounts is what dynamically linked programs of this host need, read-only,
// and nothing of its users: system directories, the loader's files, name look-ups
// by files alone, and the harmless devices.
func SystemMounts() []Mount {
	mounts := []Mount{{Source: "/usr", Target: "/usr"}}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		// On merged-usr systems these are links into /usr.
		if link, err := os.Readlink(dir); err == nil {
			mounts = append(mounts, Mount{Link: link, Target: dir})
			continue
		}
		mounts = append(mounts, Mount{Source: dir, Target: dir, Optional: true})
	}
	for _, file := range []string{
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/nsswitch.conf",
	} {
		mounts = append(mounts, Mount{Source: file, Target: file, Optional: true})
	}
	mounts = append(mounts,
		Mount{Target: "/etc/passwd", Content: fmt.Sprintf("realm:x:%d:%d::/:/usr/sbin/nologin\n", InsideUID, InsideUID)},
		Mount{Target: "/etc/group", Content: fmt.Sprintf("realm:x:%d:\n", InsideUID)},
	)
	for _, device := range []string{"null", "zero", "full", "random", "urandom"} {
		mounts = append(mounts, Mount{Source: "/dev/" + device, Target: "/dev/" + device})
	}
	return append(mounts,
		Mount{Target: "/dev/fd", Link: "/proc/self/fd"},
		Mount{Target: "/dev/stdin", Link: "/proc/self/fd/0"},
		Mount{Target: "/dev/stdout", Link: "/proc/self/fd/1"},
		Mount{Target: "/dev/stderr", Link: "/proc/self/fd/2"},
	)
}
