package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A socket that the service manager passes is held to what one of the service's own is. No row comes to serve anything:
// what is in order fails at the group that is looked for afterwards.
func TestPassedSocketsAreInClearOnLoopbackAlone(t *testing.T) {
	dir := t.TempDir()
	policy, tokens := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "tokens")
	for path, text := range map[string]string{policy: "version: 1\n", tokens: "ci 0123456789abcdef0123456789abcdef\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const inOrder = "--socket-group: group: unknown group no-such-group"
	for _, c := range []struct {
		claim, address string
		flags          []string
		want           string
	}{
		{"beyond loopback", "0.0.0.0:0", []string{"--token-file", tokens}, "tokens would be sent in clear"},
		{"beyond loopback, as asked for", "0.0.0.0:0", []string{"--token-file", tokens, "--allow-plaintext"}, inOrder},
		{"beyond loopback, by TLS", "0.0.0.0:0", []string{"--token-file", tokens, "--tls-cert", "none", "--tls-key", "none"}, inOrder},
		{"loopback", "127.0.0.1:0", []string{"--token-file", tokens}, inOrder},
		{"loopback, without tokens", "127.0.0.1:0", nil, "needs --token-file"},
		{"none, and yet in clear", "", []string{"--allow-plaintext"}, "--allow-plaintext is for TCP"},
	} {
		args := append([]string{"-c", `LISTEN_PID=$$ exec supervisor serve "$@"`, "sh", "--policy", policy, "--socket", filepath.Join(dir, "s"), "--socket-group", "no-such-group"}, c.flags...)
		cmd := exec.Command("sh", args...)
		if c.address != "" {
			l, err := net.Listen("tcp", c.address)
			if err != nil {
				t.Fatal(err)
			}
			file, err := l.(*net.TCPListener).File()
			_ = l.Close()
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			cmd.ExtraFiles = []*os.File{file}
			cmd.Env = append(os.Environ(), "LISTEN_FDS=1")
		}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v %s, want %q", c.claim, err, out, c.want)
		}
	}
}
