package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts run the binaries that `make build` leaves in bin, or those in
// $SUPERVISOR_BIN, as a user would: the realm in a process of its own, confined
// by this host's kernel.
func TestMain(m *testing.M) {
	syscall.Umask(0o022) // grants that a group may write are refused
	if err := findBinaries(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func findBinaries() error {
	bin := os.Getenv("SUPERVISOR_BIN")
	if bin == "" {
		bin = "../../bin"
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	for _, name := range []string{"realm", "supervisor"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err == nil {
			continue
		}
		if out, err := exec.Command("make", "-s", "-C", "../..", "build").CombinedOutput(); err != nil {
			return fmt.Errorf("make build: %w\n%s", err, out)
		}
	}
	return errors.Join(
		os.Setenv("SUPERVISOR_BIN", bin),
		os.Setenv("SUPERVISOR_REALM", filepath.Join(bin, "realm")),
		os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH")))
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SUPERVISOR_REALM", os.Getenv("SUPERVISOR_REALM"))
			// What a CI job sets would change what is printed.
			for _, name := range []string{"CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"} {
				env.Setenv(name, "")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"mask":  mask,
		},
	})
}

// exits STATUS COMMAND ARG...: the command ends with exactly that status. Its
// output is in the files out and err.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(ts.ReadFile("stdout")), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(ts.ReadFile("stderr")), 0o644))
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

var (
	number = regexp.MustCompile(`-?\d+(\.\d+)?`)
	digest = regexp.MustCompile(`[0-9a-f]{64}`)
)

// mask FILE: every digest becomes HASH and every number N, so that the shape of
// a measured document can be compared.
func mask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mask FILE")
	}
	text := digest.ReplaceAllString(ts.ReadFile(args[0]), "HASH")
	text = number.ReplaceAllString(text, "N")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")), 0o644))
}
