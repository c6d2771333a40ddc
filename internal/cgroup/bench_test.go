//go:build linux

package cgroup

import (
	"strconv"
	"testing"
)

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		openManager(b)
	}
}

func BenchmarkCreateRemove(b *testing.B) {
	m := openManager(b)
	i := 0
	for b.Loop() {
		i++
		g, err := m.Create("bench"+strconv.Itoa(i), limits)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := g.Remove(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
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
