//go:build linux

package cgroup

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"realm.internal/supervisor/internal/layer"
)

func (g *group) verify(pid int) (Limits, error) {
	content, err := readFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return Limits{}, fmt.Errorf("read the groups of %d: %w", pid, err)
	}
	groups := memberships(string(content))
	for controller := range g.dirs {
		if g.v2 && controller != unified {
			continue // one directory serves all
		}
		if groups[controller] != g.name {
			return Limits{}, &Missing{Layer: layerOf(controller), Detail: fmt.Sprintf("process %d is not in group %s", pid, g.name)}
		}
	}
	l, err := g.limits()
	if err == nil {
		err = g.compare(l)
	}
	if err == nil {
		err = g.compareSwap()
	}
	return l, err
}

// memberships maps controllers to the last element of a process's group. Names of
// our groups are unique, so that the way to them need not be compared.
func memberships(content string) map[string]string {
	groups := map[string]string{}
	for line := range strings.Lines(content) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if parts[0] == "0" {
			groups[unified] = path.Base(parts[2])
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			groups[controller] = path.Base(parts[2])
		}
	}
	return groups
}

// compare allows what the kernel rounds: memory down to a page, a quota to its unit.
func (g *group) compare(l Limits) error {
	switch {
	case g.asked.MemoryBytes > 0 && (l.MemoryBytes == 0 || l.MemoryBytes > g.asked.MemoryBytes):
		return differs(layer.CgroupMemory, g.asked.MemoryBytes, l.MemoryBytes)
	case g.asked.Pids > 0 && l.Pids != g.asked.Pids:
		return differs(layer.CgroupPids, g.asked.Pids, l.Pids)
	case g.asked.CPUs > 0 && math.Abs(l.CPUs-float64(quota(g.asked.CPUs))/cpuPeriod) > 1e-6:
		return differs(layer.CgroupCPU, g.asked.CPUs, l.CPUs)
	}
	return nil
}

// compareSwap holds the memory limit to what it says: swap included. Where swap cannot
// be limited there must still be none.
func (g *group) compareSwap() error {
	dir, ok := g.dirs[memory]
	switch {
	case !ok || g.asked.MemoryBytes == 0:
		return nil
	case !g.swap:
		if !swapIsOff() {
			return differs(layer.CgroupMemory, "no swap", "swap that cannot be limited")
		}
		return nil
	case g.v2:
		content, err := readFile(filepath.Join(dir, "memory.swap.max"))
		if err != nil {
			return fmt.Errorf("read swap limit: %w", err)
		}
		if got := strings.TrimSpace(string(content)); got != "0" {
			return differs(layer.CgroupMemory, "no swap", got)
		}
		return nil
	}
	n, err := readNumber(filepath.Join(dir, "memory.memsw.limit_in_bytes"))
	if err != nil {
		return fmt.Errorf("read memory and swap limit: %w", err)
	}
	if n == 0 || n > g.asked.MemoryBytes {
		return differs(layer.CgroupMemory, fmt.Sprintf("%d with swap", g.asked.MemoryBytes), n)
	}
	return nil
}

func differs(name string, asked, got any) error {
	return &Missing{Layer: name, Detail: fmt.Sprintf("the kernel holds %v where %v was asked for", got, asked)}
}

func layerOf(controller string) string {
	if name := controllerLayer[controller]; name != "" {
		return name
	}
	return layer.CgroupCPU // cpuacct, freezer: stand-ins for the leaf
}
