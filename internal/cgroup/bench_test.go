//go:build linux

package cgroup

import (
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		openManager(b)
	}
}

func BenchmarkCreateRemove(b *testing.B) {
	m := openManager(b)
	i := 0
	var created time.Duration
	for b.Loop() {
		i++
		start := cpuTime()
		g, err := m.Create("bench"+strconv.Itoa(i), limits)
		if err != nil {
			b.Fatal(err)
		}
		created += cpuTime() - start
		b.StopTimer()
		if err := g.Remove(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(created)/float64(b.N)/1000, "cpu-µs/op")
}

// cpuTime of this process: what a step costs, whatever else the machine does.
func cpuTime() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkStats(b *testing.B) {
	g := create(b, openManager(b), "bench", limits)
	for b.Loop() {
		if _, err := g.Stats(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSweep(b *testing.B) {
	m := openManager(b)
	for b.Loop() {
		if _, err := m.Sweep(); err != nil {
			b.Fatal(err)
		}
	}
}
