package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

const (
	maxToolAnswer = 64 << 20 // bytes of standard output
	toolErrorTail = 2 << 10  // bytes of standard error that the guest's error shows
	toolGrace     = time.Second
)

// hostTools are the programs of --tool. A run that ends leaves calls behind; wait
// returns when the last of their programs is gone.
type hostTools struct {
	functions map[string]supervisor.Tool
	calls     sync.WaitGroup
}

// addTools makes a host tool of each NAME=COMMAND and grants it, unless the
// grants say themselves which tools there are.
func addTools(g *grants.Grants, flags []string) (*hostTools, error) {
	own := g.Tools.Allowed != nil || g.Tools.ReadOnly
	tools := &hostTools{functions: map[string]supervisor.Tool{}}
	for _, v := range flags {
		name, command, _ := strings.Cut(v, "=")
		words, err := splitWords(command)
		if err == nil && (name == "" || len(words) == 0) {
			err = errors.New("write NAME=COMMAND")
		}
		if err == nil && tools.functions[name] != nil {
			err = errors.New("the name is taken")
		}
		if err != nil {
			return nil, fmt.Errorf("--tool %s: %w", v, err)
		}
		path, err := exec.LookPath(words[0])
		if err != nil {
			return nil, fmt.Errorf("--tool %s: %w", v, err)
		}
		tools.functions[name] = func(ctx context.Context, params json.RawMessage) (any, error) {
			tools.calls.Add(1)
			defer tools.calls.Done()
			return callProgram(ctx, path, words, params)
		}
		if !own {
			g.Tools.Allowed = append(g.Tools.Allowed, name)
		}
	}
	return tools, nil
}

// callProgram runs a trusted local program, unconfined: parameters on standard
// input, the answer on standard output, both JSON. Its whole process group is
// killed when the program or ctx ends, and the program itself when the supervisor dies.
func callProgram(ctx context.Context, path string, words []string, params json.RawMessage) (any, error) {
	// The death signal is sent when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, path)
	cmd.Args = words
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = toolGrace // what left the group may hold the pipes
	answer, complaint := &limitedBuffer{limit: maxToolAnswer}, &tailBuffer{limit: toolErrorTail}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(params), answer, complaint
	if err := runGroup(cmd); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, toolError(ctx, err, complaint.String())
	}
	if answer.over {
		return nil, fmt.Errorf("the tool's answer is longer than %d bytes", maxToolAnswer)
	}
	if len(bytes.TrimSpace(answer.head)) == 0 {
		return nil, nil
	}
	v, err := value.FromJSON(answer.head)
	if err != nil {
		return nil, fmt.Errorf("the tool's answer is not JSON: %w", err)
	}
	return v, nil
}

// runGroup runs cmd, the leader of a process group, and ends what it leaves of that group. The leader is reaped last: until
// then nobody else's group can have its number.
func runGroup(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	for errors.Is(unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return cmd.Wait()
}

func toolError(ctx context.Context, err error, complaint string) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !ok:
		return fmt.Errorf("the tool could not be run: %w", err)
	case complaint == "":
		return fmt.Errorf("the tool failed: %s", exit)
	}
	return fmt.Errorf("%s (%s)", complaint, exit)
}

// splitWords splits a command line at white space. Single and double quotes keep
// words together; a backslash takes the next character as it is, but for inside
// single quotes. Nothing is expanded.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inWord, escaped := rune(0), false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && strings.ContainsRune(" \t\n", r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote or backslash at the end has no partner")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// limitedBuffer keeps the first limit bytes and takes the rest, so that the
// writer is not blocked.
type limitedBuffer struct {
	head  []byte
	limit int
	over  bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	room := b.limit - len(b.head)
	b.over = b.over || len(p) > room
	b.head = append(b.head, p[:min(len(p), room)]...)
	return len(p), nil
}

// tailBuffer keeps the last limit bytes.
type tailBuffer struct {
	tail  []byte
	limit int
}

func (b *tailBuffer) Write(p []byte) (int, error) {
	b.tail = append(b.tail, p...)
	if over := len(b.tail) - b.limit; over > 0 {
		b.tail = append(b.tail[:0], b.tail[over:]...)
	}
	return len(p), nil
}

func (b *tailBuffer) String() string {
	t := b.tail
	for len(t) > 0 && !utf8.RuneStart(t[0]) {
		t = t[1:]
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(t)), "\ufffd")
}
