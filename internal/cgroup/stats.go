//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The figures are read directly: the library's Stat reads some twenty files of a
// v1 group, ten times what these cost, and cpu time is polled while a realm runs.

func (g *group) stats() (Stats, error) {
	var s Stats
	var err error
	if s.CPU, err = g.cpuTime(); err != nil {
		return s, fmt.Errorf("read cpu time: %w", err)
	}
	dir, ok := g.dirs[memory]
	if !ok {
		return s, nil
	}
	peak, kills, key := "memory.max_usage_in_bytes", "memory.oom_control", "oom_kill"
	if g.v2 {
		peak, kills = "memory.peak", "memory.events"
	}
	// memory.peak is newer than the hierarchy (5.19): 0 where there is none.
	if s.PeakMemoryBytes, err = readNumber(filepath.Join(dir, peak)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return s, fmt.Errorf("read peak memory: %w", err)
	}
	if s.OOMKills, err = readKey(filepath.Join(dir, kills), key); err != nil {
		return s, fmt.Errorf("read oom kills: %w", err)
	}
	return s, nil
}

// cpuTime needs no controller in a unified group, whose cpu.stat is always there.
func (g *group) cpuTime() (time.Duration, error) {
	if dir, ok := g.dirs[unified]; ok {
		usec, err := readKey(filepath.Join(dir, "cpu.stat"), "usage_usec")
		return time.Duration(usec) * time.Microsecond, err
	}
	if dir, ok := g.dirs[cpuacct]; ok {
		nsec, err := readNumber(filepath.Join(dir, "cpuacct.usage"))
		return time.Duration(nsec), err
	}
	return 0, nil
}

func (g *group) pidsRefused() (int64, error) {
	dir, ok := g.dirs[pids]
	if !ok {
		return 0, nil
	}
	return readKey(filepath.Join(dir, "pids.events"), "max")
}

// threads reads one of the directories: the group's processes are in all of them.
func (g *group) threads() ([]string, error) {
	name := "cgroup.threads"
	dir, ok := g.dirs[unified]
	for _, controller := range []string{pids, memory, cpu, cpuacct, freezer} {
		if !ok {
			name = "tasks"
			dir, ok = g.dirs[controller]
		}
	}
	if !ok {
		return nil, nil
	}
	content, err := readFile(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("list the threads of %s: %w", g.name, err)
	}
	return strings.Fields(string(content)), nil
}

func (g *group) limits() (Limits, error) {
	var l Limits
	var err error
	if dir, ok := g.dirs[memory]; ok {
		if l.MemoryBytes, err = g.memoryLimit(dir); err != nil {
			return l, fmt.Errorf("read memory limit: %w", err)
		}
	}
	if dir, ok := g.dirs[pids]; ok {
		if l.Pids, err = readNumber(filepath.Join(dir, "pids.max")); err != nil {
			return l, fmt.Errorf("read pids limit: %w", err)
		}
	}
	if dir, ok := g.dirs[cpu]; ok {
		if l.CPUs, err = g.cpuLimit(dir); err != nil {
			return l, fmt.Errorf("read cpu limit: %w", err)
		}
	}
	return l, nil
}

func (g *group) memoryLimit(dir string) (int64, error) {
	name := "memory.limit_in_bytes"
	if g.v2 {
		name = "memory.max"
	}
	return readNumber(filepath.Join(dir, name))
}

func (g *group) cpuLimit(dir string) (float64, error) {
	if !g.v2 {
		quota, err := readNumber(filepath.Join(dir, "cpu.cfs_quota_us"))
		return float64(quota) / cpuPeriod, err
	}
	content, err := os.ReadFile(filepath.Join(dir, "cpu.max"))
	if err != nil {
		return 0, err
	}
	text, _, _ := strings.Cut(strings.TrimSpace(string(content)), " ")
	quota, err := parseNumber(text)
	return float64(quota) / cpuPeriod, err
}

func (g *group) setMemory(bytes int64) error {
	dir, ok := g.dirs[memory]
	if !ok {
		return errors.New("control group has no memory limit")
	}
	if bytes <= 0 {
		return fmt.Errorf("memory limit of %d bytes", bytes)
	}
	value := strconv.FormatInt(bytes, 10)
	g.asked.MemoryBytes = bytes
	if g.v2 {
		return writeFile(filepath.Join(dir, "memory.max"), value)
	}
	// memory+swap may never be below memory: grow it first, shrink it last. The
	// library means to, but in 3.1.3 it exchanges the wrong two of its settings.
	order := []string{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}
	current, err := g.memoryLimit(dir)
	if err != nil {
		return err
	}
	if bytes > current {
		slices.Reverse(order)
	}
	for _, name := range order {
		if !g.swap && name != "memory.limit_in_bytes" {
			continue
		}
		if err := writeFile(filepath.Join(dir, name), value); err != nil {
			return err
		}
	}
	return nil
}
