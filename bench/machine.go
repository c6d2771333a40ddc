package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	return strings.Fields(string(text))[0]
}

// machine describes what was measured on, in lines of a table.
func (b *bench) machine() [][2]string {
	var uts unix.Utsname
	_ = unix.Uname(&uts)
	return [][2]string{
		{"processor", fmt.Sprintf("%s, %d cores", cpuField("model name"), runtime.NumCPU())},
		{"memory", fmt.Sprintf("%.1f GiB", memoryTotal())},
		{"kernel", unix.ByteSliceToString(uts.Release[:])},
		{"system", osName()},
		{"supervisor", first(b.supervisor(), "version")},
		{"deno", first(b.deno(), "--version")},
		{"workerd", first(b.workerd(), "--version")},
		{"node", first("node", "--version")},
		{"isolated-vm", b.moduleVersion("isolated-vm")},
		{"quickjs-emscripten", b.moduleVersion("quickjs-emscripten")},
		{"bubblewrap", first("bwrap", "--version")},
		{"Go", runtime.Version()},
	}
}

// first is the first line that a command prints.
func first(argv ...string) string {
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		return "not there"
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}

func cpuField(name string) string { return fieldOf("/proc/cpuinfo", name, ":") }

func memoryTotal() float64 {
	var kib float64
	_, _ = fmt.Sscan(fieldOf("/proc/meminfo", "MemTotal", ":"), &kib)
	return kib / (1 << 20)
}

func osName() string { return strings.Trim(fieldOf("/etc/os-release", "PRETTY_NAME", "="), `"`) }

func fieldOf(path, name, separator string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "?"
	}
	for line := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(line, separator); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "?"
}

func (b *bench) moduleVersion(name string) string {
	return strings.Trim(fieldOf(b.modules()+"/"+name+"/package.json", `"version"`, ":"), `",`)
}
