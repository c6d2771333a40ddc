package subprocess

import (
	"os/exec"
	"testing"
)

// BenchmarkSpawn compares a jailed command with the same one under bubblewrap.
func BenchmarkSpawn(b *testing.B) {
	b.Run("jail", func(b *testing.B) {
		j := open(b, granting("/bin/true"))
		for b.Loop() {
			if _, err := j.run("", "/bin/true"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bwrap", func(b *testing.B) {
		for b.Loop() {
			args := []string{"--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
				"--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "/bin/true"}
			if out, err := exec.Command("/usr/bin/bwrap", args...).CombinedOutput(); err != nil {
				b.Fatalf("%v %s", err, out)
			}
		}
	})
}
