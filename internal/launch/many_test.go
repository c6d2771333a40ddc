//go:build linux

package launch

import (
	"context"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

func TestManySpawnsAtOnceLeaveNothingOpen(t *testing.T) {
	s := startSpawner(t)
	many := 64
	if testing.Short() { // an emulated machine
		many = 8
	}
	round := func() {
		var all sync.WaitGroup
		for range many {
			all.Go(func() {
				p, err := s.Spawn(context.Background(), Spec{Kind: Realm, Args: []string{"realm", "exit"}, Files: make([]*os.File, 5)})
				if err != nil {
					t.Error(err)
					return
				}
				if exit := p.Wait(); exit.Code != 7 {
					t.Errorf("exit: %+v", exit)
				}
			})
		}
		all.Wait()
	}
	round()
	ours, theirs := openFiles(t, "self"), openFiles(t, strconv.Itoa(s.PID()))
	round()
	if n := openFiles(t, "self"); n > ours {
		t.Errorf("the supervisor has %d descriptors, had %d", n, ours)
	}
	if n := openFiles(t, strconv.Itoa(s.PID())); n > theirs {
		t.Errorf("the spawner has %d descriptors, had %d", n, theirs)
	}
}

func openFiles(t *testing.T, pid string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/" + pid + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A library user's heap must not be copied, nor its page tables, by a spawn.
func TestLargeHeapDoesNotSlowSpawns(t *testing.T) {
	// On a busy host most spawns are slow; the claim is about the fastest one.
	fastest := func(enough time.Duration) time.Duration {
		s := startSpawner(t)
		best := time.Hour
		for n := 0; n < 20 || n < 1000 && best > enough; n++ {
			start := time.Now()
			p, err := s.Spawn(context.Background(), Spec{Kind: Trial, Args: []string{"trial"}, Files: make([]*os.File, 3)})
			if err != nil {
				t.Fatal(err)
			}
			p.Wait()
			best = min(best, time.Since(start))
		}
		return best
	}
	before := fastest(time.Hour)
	size := 1 << 30
	if testing.Short() {
		size = 128 << 20
	}
	heap := make([]byte, size)
	for i := 0; i < len(heap); i += 4096 {
		heap[i] = 1
	}
	bound := 2*before + time.Millisecond // copying the tables alone takes about 10 ms
	after := fastest(bound)
	t.Logf("fastest spawn %v, with a large heap %v", before, after)
	if after > bound {
		t.Errorf("spawn took %v, %v without the heap", after, before)
	}
	if !slices.Contains(heap[:1], 1) {
		t.Error("the heap is gone")
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := Start(probePath, quiet())
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

func benchmarkSpawn(b *testing.B, kind Kind) {
	s := startSpawner(b)
	g := newGroup(b, "bench")
	for b.Loop() {
		p, err := s.Spawn(context.Background(), Spec{Kind: kind, Args: []string{"realm", "exit"}, Files: make([]*os.File, 5), Group: g, Landlock: s.LandlockABI() > 0})
		if err != nil {
			b.Fatal(err)
		}
		p.Wait()
	}
}

func BenchmarkTrial(b *testing.B) { benchmarkSpawn(b, Trial) }
func BenchmarkRealm(b *testing.B) { benchmarkSpawn(b, Realm) }

func BenchmarkCommand(b *testing.B) {
	s := startSpawner(b)
	for b.Loop() {
		p, _, err := command(b, s, "exit 0", nil)
		if err != nil {
			b.Fatal(err)
		}
		p.Wait()
	}
}
