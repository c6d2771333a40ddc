//go:build linux

package doctor

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability/roots"
	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/layer"
)

// tryLimits are small enough for any host and large enough for the trial.
var tryLimits = cgroup.Limits{MemoryBytes: 64 << 20, Pids: 16, CPUs: 1}

// groups makes a control group with every limit that there is a controller for, and
// reads the limits back. nil: there is none to launch the trial in.
func (f *findings) groups(m *cgroup.Manager, openErr error) *cgroup.Group {
	names := []string{layer.CgroupMemory, layer.CgroupPids, layer.CgroupCPU, layer.CgroupKill}
	if openErr != nil {
		for _, name := range names {
			f.lacks(name, openErr.Error(), "mount /proc and the cgroup file systems")
		}
		return nil
	}
	limits := tryLimits
	clear := map[string]func(){
		layer.CgroupMemory: func() { limits.MemoryBytes = 0 },
		layer.CgroupPids:   func() { limits.Pids = 0 },
		layer.CgroupCPU:    func() { limits.CPUs = 0 },
		layer.CgroupKill:   func() {},
	}
	for _, name := range names {
		var missing *cgroup.Missing
		if err := m.Layer(name); errors.As(err, &missing) {
			f.missing[name] = missing
			clear[name]()
		}
	}
	g, err := m.Create("doctor", limits)
	if err != nil {
		f.groupRefused(err, names)
		return nil
	}
	got, err := g.Limits()
	if err != nil {
		f.groupRefused(err, names)
		g.Remove()
		return nil
	}
	for name, ok := range map[string]bool{
		layer.CgroupMemory: got.MemoryBytes > 0, layer.CgroupPids: got.Pids > 0,
		layer.CgroupCPU: got.CPUs > 0, layer.CgroupKill: g.LeafFD() != nil,
	} {
		if ok {
			f.present[name] = "tried in " + g.Path()
		}
	}
	return g
}

func (f *findings) groupRefused(err error, names []string) {
	var missing *cgroup.Missing
	if errors.As(err, &missing) {
		f.missing[missing.Layer] = missing
		return
	}
	for _, name := range names {
		if f.missing[name] == nil {
			f.lacks(name, err.Error(), "")
		}
	}
}

// kernel asks for what no trial shows: the filter that a realm installs by itself,
// and the means to examine its descriptors.
func (f *findings) kernel(landlock int) {
	if err := killProcessAvailable(); err != nil {
		f.lacks(layer.Seccomp, "no filter that kills a process: "+err.Error(), "use a kernel with CONFIG_SECCOMP_FILTER, 4.14 or later")
	} else if err := loadFilter(); err != nil {
		f.lacks(layer.Seccomp, "a filter cannot be loaded: "+err.Error(), "use a kernel with CONFIG_SECCOMP_FILTER, or allow seccomp in the surrounding container's profile")
	} else {
		f.present[layer.Seccomp] = "filters that kill the process"
	}
	f.paths()
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	if err == nil && strings.TrimSpace(string(scope)) == "3" {
		f.lacks(layer.Descriptors, "kernel.yama.ptrace_scope is 3: descriptors of a realm cannot be examined", "boot with kernel.yama.ptrace_scope at 2 or less")
	} else if err := takeDescriptor(); err != nil {
		f.lacks(layer.Descriptors, "descriptors of a realm cannot be examined: pidfd_getfd: "+err.Error(), "use Linux 5.6 or later, or allow pidfd_getfd in the surrounding container's profile")
	} else {
		f.present[layer.Descriptors] = "close_range, pidfd_getfd"
	}
	if landlock == 0 {
		f.lacks(layer.Landlock, "this kernel has none, or it is not enabled", "add landlock to the lsm= boot parameter")
	} else {
		f.present[layer.Landlock] = fmt.Sprintf("ABI %d", landlock)
	}
}

// paths tries what grants of files and of commands need.
func (f *findings) paths() {
	fd, err := roots.Open("/", roots.Anywhere(), unix.O_DIRECTORY)
	var refused *layer.Unenforceable
	switch {
	case errors.As(err, &refused):
		f.missing[layer.OpenAt2] = refused
	case err != nil:
		f.lacks(layer.OpenAt2, err.Error(), "")
	default:
		_ = unix.Close(fd)
		f.present[layer.OpenAt2] = "for grants of files and of commands"
	}
}

// loadFilter loads a filter that allows everything, on a thread that ends with it.
func loadFilter() error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread is not used again
		result <- func() error {
			if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
				return err
			}
			const setModeFilter, allow = 1, 0x7fff0000
			all := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: allow}
			program := unix.SockFprog{Len: 1, Filter: &all}
			if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, 0, uintptr(unsafe.Pointer(&program))); errno != 0 {
				return errno
			}
			return nil
		}()
	}()
	return <-result
}

// takeDescriptor duplicates a descriptor by way of a pidfd, of this process.
func takeDescriptor() error {
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return err
	}
	defer unix.Close(self)
	fd, err := unix.PidfdGetfd(self, self, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func killProcessAvailable() error {
	const getActionAvailable, killProcess = 2, uint32(0x80000000)
	action := killProcess
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, getActionAvailable, 0, uintptr(unsafe.Pointer(&action))); errno != 0 {
		return errno
	}
	return nil
}
