package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// count is one line that a test has logged.
type count struct {
	mode, group, class   string
	attempted, contained int
}

// collection is what the tests told.
type collection struct {
	counts   []count
	evidence []string
	failed   []string // tests and steps
	output   strings.Builder
}

var counted = regexp.MustCompile(`attacks: (\S+) (\S+) (.+) (\d+) (\d+)\s*$`)

// run runs a step and collects what its tests log.
func (c *collection) run(s step) error {
	argv := append([]string{"test", "-json", "-count=1", "-timeout=150m", "-v"}, s.args...)
	if len(s.own) > 0 {
		argv = append(append(argv, "-args"), s.own...)
	}
	cmd := exec.Command("go", argv...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := c.read(out); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		c.failed = append(c.failed, s.name)
		c.output.WriteString(complaint.String())
	}
	return nil
}

// event is what test2json prints.
type event struct{ Action, Package, Test, Output string }

func (c *collection) read(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	said := map[string]*strings.Builder{}
	begun := map[string]string{} // of a test's last line, of which test2json tells no more than a kilobyte at once
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("go test: %q: %w", lines.Text(), err)
		}
		name := e.Package + "." + e.Test
		switch e.Action {
		case "output", "build-output":
			if said[name] == nil {
				said[name] = &strings.Builder{}
			}
			said[name].WriteString(e.Output)
			begun[name] += e.Output
			for {
				line, rest, whole := strings.Cut(begun[name], "\n")
				if !whole {
					break
				}
				c.line(line)
				begun[name] = rest
			}
		case "fail":
			if e.Test != "" {
				c.failed = append(c.failed, name)
			}
			if said[name] != nil {
				c.output.WriteString(said[name].String())
			}
			delete(said, name)
		case "pass":
			delete(said, name)
		case "skip":
			c.failed = append(c.failed, name+" (skipped)")
		}
	}
	return lines.Err()
}

// line collects what a line counts, once: what ran as another user repeats it.
func (c *collection) line(text string) {
	if _, evidence, ok := strings.Cut(text, "evidence: "); ok {
		c.evidence = append(c.evidence, strings.TrimSpace(evidence))
		return
	}
	m := counted.FindStringSubmatch(text)
	if m == nil {
		return
	}
	attempted, err := strconv.Atoi(m[4])
	if err != nil {
		return
	}
	contained, err := strconv.Atoi(m[5])
	if err != nil {
		return
	}
	c.counts = append(c.counts, count{m[1], m[2], m[3], attempted, contained})
}
