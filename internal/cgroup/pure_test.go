//go:build linux

package cgroup

import (
	"slices"
	"strconv"
	"testing"
)

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{{"max", 0}, {"-1", 0}, {"9223372036854771712", 0}, {"4096", 4096}, {"0", 0}} {
		if got, err := parseNumber(c.text); err != nil || got != c.want {
			t.Errorf("%s = %d, %v", c.text, got, err)
		}
	}
	if _, err := parseNumber("many"); err == nil {
		t.Error("many is a number")
	}
}

func TestGroupPathsAreRelativeToTheMountedGroup(t *testing.T) {
	for _, c := range []struct{ root, path, want string }{
		{"/", "/a/b", "/a/b"},
		{"", "/a/b", "/a/b"},
		{"/docker/x", "/docker/x", ""},
		{"/docker/x", "/docker/x/y", "/y"},
		{"/docker/x", "/docker/xy", "/docker/xy"},
	} {
		if got := within(c.root, c.path); got != c.want {
			t.Errorf("%s in %s = %q, want %q", c.path, c.root, got, c.want)
		}
	}
}

func TestMountRootsOfMountinfo(t *testing.T) {
	roots := mountRoots([]byte("35 31 0:32 /docker/x /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n" +
		"23 22 0:28 / /sys rw,relatime shared:2 - sysfs sysfs rw\n" +
		"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n"))
	if len(roots) != 2 || roots["/sys/fs/cgroup/memory"] != "/docker/x" || roots["/sys/fs/cgroup/unified"] != "/" {
		t.Fatalf("roots = %v", roots)
	}
}

func TestOwnersOfNames(t *testing.T) {
	prefix, err := newPrefix()
	if err != nil {
		t.Fatal(err)
	}
	me, err := self()
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := parseOwner(prefix + "a-name"); !ok || got != me {
		t.Errorf("owner = %+v, %v; want %+v", got, ok, me)
	}
	for _, name := range []string{"realm-supervisor", "realm-1-2-3", "realm-x-2-3-4-n", "other-1-2-3-4-n", "realm-1-0-3-4-n"} {
		if _, ok := parseOwner(name); ok {
			t.Errorf("%s has an owner", name)
		}
	}
}

func TestCPUQuota(t *testing.T) {
	for _, c := range []struct {
		cpus float64
		want int64
	}{{1, 100_000}, {0.5, 50_000}, {2.5, 250_000}, {0.000001, 1000}} {
		if got := quota(c.cpus); got != c.want {
			t.Errorf("quota of %v = %d, want %d", c.cpus, got, c.want)
		}
	}
}

func TestLimitsAsFiles(t *testing.T) {
	all := Limits{MemoryBytes: 4096, Pids: 7, CPUs: 0.5}
	for _, c := range []struct {
		name     string
		l        Limits
		v2, swap bool
		want     []setting
	}{
		{"none", Limits{}, true, true, nil},
		{"v2", all, true, true, []setting{{memory, "memory.max", "4096"}, {memory, "memory.swap.max", "0"}, {pids, "pids.max", "7"}, {cpu, "cpu.max", "50000 100000"}}},
		{"v2 without swap", Limits{MemoryBytes: 4096}, true, false, []setting{{memory, "memory.max", "4096"}}},
		{"v1: memory before memory+swap", all, false, true, []setting{{memory, "memory.limit_in_bytes", "4096"}, {memory, "memory.memsw.limit_in_bytes", "4096"}, {pids, "pids.max", "7"}, {cpu, "cpu.cfs_period_us", "100000"}, {cpu, "cpu.cfs_quota_us", "50000"}}},
		{"v1 without swap", Limits{MemoryBytes: 4096}, false, false, []setting{{memory, "memory.limit_in_bytes", "4096"}}},
	} {
		if got := settings(c.l, c.v2, c.swap); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
