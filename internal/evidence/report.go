package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// report is what a collection amounts to.
type report struct {
	rows     []row
	evidence []string
	fuzzing  []target
	problems []string
}

// row sums up a class of a section in one mode.
type row struct {
	section, mode, class string
	attempted, contained int
}

// target is what one fuzz target has done so far.
type target struct {
	dir, name           string
	executions, seconds int
}

func summarise(c *collection) *report {
	r := &report{evidence: c.evidence}
	for _, name := range c.failed {
		r.problems = append(r.problems, "failed: "+name)
	}
	for _, s := range sections() {
		ran := map[string]bool{}
		for _, n := range c.counts {
			if !s.holds(n.group) {
				continue
			}
			r.add(row{s.title, n.mode, className(n), n.attempted, n.contained})
			ran[n.mode] = ran[n.mode] || n.attempted > 0
			if n.attempted == 0 || n.contained != n.attempted {
				r.problems = append(r.problems, fmt.Sprintf("%s, %s, %s: %d of %d contained", s.title, n.mode, className(n), n.contained, n.attempted))
			}
		}
		for _, mode := range s.modes {
			if !ran[mode] {
				r.problems = append(r.problems, s.title+": nothing ran as "+mode)
			}
		}
	}
	var err error
	if r.fuzzing, err = fuzzing("docs/fuzzing.txt"); err != nil {
		r.problems = append(r.problems, err.Error())
	}
	return r
}

func className(c count) string {
	_, layers, native := strings.Cut(c.group, "native-")
	switch {
	case native:
		return c.class + " (" + layers + ")"
	case c.group == "javascript" || c.group == "protocol" || c.group == "filter":
		return c.class
	}
	return c.group + ": " + c.class
}

// add sums up what several tests count under one name.
func (r *report) add(n row) {
	for i, other := range r.rows {
		if other.section == n.section && other.mode == n.mode && other.class == n.class {
			r.rows[i].attempted += n.attempted
			r.rows[i].contained += n.contained
			return
		}
	}
	r.rows = append(r.rows, n)
}

// totals sums up by section and mode.
func (r *report) totals() (sums []row) {
	for _, n := range r.rows {
		i := slices.IndexFunc(sums, func(s row) bool { return s.section == n.section && s.mode == n.mode })
		if i < 0 {
			sums = append(sums, row{section: n.section, mode: n.mode})
			i = len(sums) - 1
		}
		sums[i].attempted += n.attempted
		sums[i].contained += n.contained
	}
	return sums
}

func (r *report) terminal() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s %-9s %10s %10s %14s\n", "", "as", "attempted", "contained", "not contained")
	for _, n := range r.totals() {
		fmt.Fprintf(&b, "%-22s %-9s %10d %10d %14d\n", n.section, n.mode, n.attempted, n.contained, n.attempted-n.contained)
	}
	return b.String()
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Security evidence\n\nWritten by `make attack`, from what the tests counted while they ran; not edited by hand. %s.\n\n", machine())
	b.WriteString("What the claims are, and what they do not cover, is in [THREAT_MODEL.md](THREAT_MODEL.md).\n\n## Summary\n\n| | as | attempted | contained | not contained |\n|---|---|---:|---:|---:|\n")
	for _, n := range r.totals() {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d |\n", n.section, n.mode, n.attempted, n.contained, n.attempted-n.contained)
	}
	if len(r.problems) > 0 {
		fmt.Fprintf(&b, "\n**This run failed**:\n\n- %s\n", strings.Join(r.problems, "\n- "))
	}
	for _, s := range sections() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.title, s.about)
		for _, mode := range []string{"either", "root", "rootless"} {
			r.table(&b, s.title, mode)
		}
		if s.title == "Filters" {
			r.filters(&b)
		}
	}
	b.WriteString("\n## Fuzzing\n\nWhat `make fuzz` has executed so far, from [fuzzing.txt](fuzzing.txt), to which `REPORT=docs/fuzzing.txt make fuzz` appends.\n\n| package | target | executions | CPU seconds |\n|---|---|---:|---:|\n")
	for _, t := range r.fuzzing {
		fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", t.dir, t.name, t.executions, t.seconds)
	}
	return b.String()
}

func (r *report) table(b *strings.Builder, section, mode string) {
	head := fmt.Sprintf("\n| %s | attempted | contained | not contained |\n|---|---:|---:|---:|\n", map[string]string{"either": "any user", "root": "as root", "rootless": "as an ordinary user"}[mode])
	for _, n := range r.rows {
		if n.section != section || n.mode != mode {
			continue
		}
		fmt.Fprintf(b, "%s| %s | %d | %d | %d |\n", head, n.class, n.attempted, n.contained, n.attempted-n.contained)
		head = ""
	}
}

// filters tells which rows no recorded run needs. A line that begins a list ends with a colon.
func (r *report) filters(b *strings.Builder) {
	for _, line := range r.evidence {
		if strings.HasSuffix(line, ":") {
			fmt.Fprintf(b, "\nRedundancy: %s\n\n", line)
			continue
		}
		fmt.Fprintf(b, "- %s\n", line)
	}
}

// fuzzing sums up a report of scripts/fuzz.sh: directory, name, executions, CPU seconds.
func fuzzing(path string) (list []target, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var t target
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscan(line, &t.dir, &t.name, &t.executions, &t.seconds); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, line, err)
		}
		i := slices.IndexFunc(list, func(o target) bool { return o.dir == t.dir && o.name == t.name })
		if i < 0 {
			list = append(list, t)
			continue
		}
		list[i].executions += t.executions
		list[i].seconds += t.seconds
	}
	return list, nil
}

// machine says when and on what this ran.
func machine() string {
	var names unix.Utsname
	_ = unix.Uname(&names)
	version, _ := exec.Command("bin/supervisor", "version").Output()
	layout := "control groups v1, hybrid"
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		layout = "control groups v2"
	}
	return fmt.Sprintf("%s, Linux %s %s, %s, %s", time.Now().UTC().Format(time.DateOnly), unix.ByteSliceToString(names.Release[:]), unix.ByteSliceToString(names.Machine[:]), layout, strings.Join(strings.Fields(string(version)), " "))
}
