//go:build unix

package audit

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is its own helper: with these variables it appends records to
// a log and prints each sequence number once the record is acknowledged.
const (
	helperLog   = "AUDIT_TEST_LOG"
	helperCount = "AUDIT_TEST_COUNT"
	helperFsize = "AUDIT_TEST_FSIZE"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(helperLog); path != "" {
		if err := appendAsHelper(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func appendAsHelper(path string) error {
	if limit, err := strconv.ParseUint(os.Getenv(helperFsize), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	s, err := OpenFile(path, FileOptions{LockTimeout: time.Minute})
	if err != nil {
		return err
	}
	count, _ := strconv.Atoi(os.Getenv(helperCount))
	for range count {
		r := note(strings.Repeat("x", rand.IntN(3000)))
		if err := s.Append(r); err != nil {
			return err
		}
		fmt.Println(r.Seq, r.Hash)
	}
	_, err = s.Sync()
	return err
}

func helper(t *testing.T, path string, count int, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), append(env, helperLog+"="+path, helperCount+"="+strconv.Itoa(count))...)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestSeveralProcessesAppendToOneChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	const processes, each = 5, 60
	var all []*exec.Cmd
	for range processes {
		cmd := helper(t, path, each)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if sum := verifyFile(t, path); sum.Records != processes*each {
		t.Errorf("%+v", sum)
	}
}

func TestKilledWriterLosesNoAcknowledgedRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for range 12 {
		cmd := helper(t, path, 1<<30)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Killed behind a random acknowledgement, while it goes on appending.
		lines := bufio.NewScanner(out)
		acknowledged := map[string]bool{}
		for killAt := 1 + rand.IntN(60); lines.Scan(); {
			_, hash, ok := strings.Cut(lines.Text(), " ")
			if ok && len(hash) == 64 {
				acknowledged[hash] = true
			}
			if len(acknowledged) == killAt {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the helper ended by itself")
		}
		mustAppend(t, open(t, path), "after the kill")
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = verify(file, func(r *Record) { delete(acknowledged, r.Hash) })
		file.Close()
		if err != nil || len(acknowledged) != 0 {
			t.Fatalf("%v; %d acknowledged records are missing", err, len(acknowledged))
		}
	}
}

// Covers: T-AUD-01
func TestFullDiskRefusesTheRecordAndLeavesTheChainIntact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	// The limit falls inside a line, so the kernel writes a part of it.
	const limit = 10_001
	cmd := helper(t, path, 1000, helperFsize+"="+strconv.Itoa(limit))
	cmd.Stderr = nil
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || len(exit.Stderr) == 0 {
		t.Fatalf("%v", err)
	}
	sum := verifyFile(t, path)
	if acknowledged := strings.Count(string(out), "\n"); sum.Records != uint64(acknowledged) || acknowledged == 0 {
		t.Errorf("%d records, %d acknowledged: %s", sum.Records, acknowledged, exit.Stderr)
	}
	mustAppend(t, open(t, path), "there is room again")
	verifyFile(t, path)
}
