package subprocess

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"realm.internal/supervisor/internal/launch"
)

// Covers: T-LOC-04
func TestWhatMayBeExecutedIsLookedForInTheJailAlone(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	tool := script(t, dir, "tool", "#!/bin/sh\n")
	alias := filepath.Join(dir, "alias")
	there, missing := script(t, elsewhere, "there", ""), filepath.Join(elsewhere, "missing")
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{alias: "tool", filepath.Join(root, "out"): there, filepath.Join(root, "nowhere"): missing, filepath.Join(elsewhere, "in"): "/usr/bin/env"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	commands, err := openCommands([]string{alias})
	if err != nil {
		t.Fatal(err)
	}
	defer commands[alias].file.Close()
	mounts := visible(append(launch.SystemMounts(), launch.Mount{Source: root, Target: root}), commands)

	for _, path := range []string{"/usr/bin/env", "/bin/sh", "/usr", "/", "/tmp", root, tool, alias, dir} {
		if _, err := executables([]string{path}, mounts); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	var first string
	for _, path := range []string{there, missing, elsewhere, root + "/out", root + "/nowhere", root + "/none", elsewhere + "/in", "/etc/shadow", "/usr/bin/none"} {
		_, err := executables([]string{path}, mounts)
		if err == nil {
			t.Errorf("%s is accepted", path)
			continue
		}
		text := strings.ReplaceAll(err.Error(), path, "PATH")
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("the answers differ: %q, %q", text, first)
		}
	}
	// Nor by way of an interpreter: what the jail lacks is none, whether the host has it or not.
	for _, interpreter := range []string{there, missing, "/usr/../" + there} {
		path := script(t, root, filepath.Base(t.TempDir()), "#!"+interpreter+"\n")
		if found := interpreters(path, mounts); len(found) != 0 {
			t.Errorf("%s: %q", interpreter, found)
		}
	}
	if found := interpreters(tool, mounts); len(found) != 2 {
		t.Errorf("a script for the shell has %q, want the shell and its loader", found)
	}
}

func TestEachCommandMayExecuteWhatItsJailHas(t *testing.T) {
	one, other := script(t, t.TempDir(), "one", "#!/bin/sh\necho one\n"), script(t, t.TempDir(), "other", "#!/bin/sh\necho other\n")
	g := granting(one, other)
	g.Subprocess.Sandbox.Execute = []string{one, "/bin/sh"}
	j := open(t, g)
	for _, path := range []string{one, other} {
		if r, err := j.run("", path); err != nil || string(r.Stdout) != filepath.Base(path)+"\n" {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
}

// Covers: T-LOC-02
func TestAFileThatClaimsToHoldMuchIsReadInBounds(t *testing.T) {
	head := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Version: uint32(elf.EV_CURRENT), Ehsize: 64, Shoff: 64, Shentsize: 0x1000,
	}
	sections := elf.Section64{Size: 0xff00} // their number, where the header has none
	var text bytes.Buffer
	for _, part := range []any{head, sections} {
		if err := binary.Write(&text, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, text.Bytes(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 300<<20); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := interpreter(path)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; found != "" || took > 1<<20 {
		t.Errorf("%q, and %d bytes of memory", found, took)
	}
}
