package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

func enter(t *testing.T, g *gate, who string, max int) (finished, read func()) {
	t.Helper()
	finished, read, err := g.enter(t.Context(), who, max, 0)
	if err != nil {
		t.Fatalf("%s: %v", who, err)
	}
	return finished, read
}

// queueUp lets n runs of who wait and returns where they say that they were let in.
func queueUp(t *testing.T, g *gate, who string, n int, in chan<- string) {
	t.Helper()
	for range n {
		_, before := g.counts()
		go func() {
			if _, read, err := g.enter(context.Background(), who, 0, time.Minute); err == nil {
				in <- who
				read()
			}
		}()
		eventually(t, "it waits", func() bool { _, now := g.counts(); return now == before+1 })
	}
}

func TestWaitingRunsAreLetInInTurnWithOtherCallers(t *testing.T) {
	g := newGate(1, 16)
	_, read := enter(t, g, "a", 0)
	in := make(chan string, 16)
	queueUp(t, g, "a", 5, in)
	queueUp(t, g, "b", 2, in)
	queueUp(t, g, "c", 1, in)
	read()
	var order []string
	for range 8 {
		order = append(order, <-in)
	}
	if got := strings.Join(order, ""); got != "abcabaaa" {
		t.Errorf("order is %s", got)
	}
	eventually(t, "nothing is left", func() bool { l, w := g.counts(); return l == 0 && w == 0 && g.known() == 0 })
}

func TestAGateHasLimits(t *testing.T) {
	g := newGate(2, 1)
	_, first := enter(t, g, "a", 1)
	if _, _, err := g.enter(t.Context(), "a", 1, time.Millisecond); !errors.Is(err, errFull) {
		t.Errorf("a second run of a caller that may have one: %v", err)
	}
	_, other := enter(t, g, "b", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := g.enter(ctx, "c", 0, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("who went away: %v", err)
	}
	in := make(chan string, 2)
	queueUp(t, g, "c", 1, in)
	if _, _, err := g.enter(t.Context(), "c", 0, time.Minute); !errors.Is(err, errFull) {
		t.Errorf("a queue that is full: %v", err)
	}
	g.resize(3)
	if who := <-in; who != "c" {
		t.Errorf("%s", who)
	}
	first()
	first() // no effect
	other()
	if l, w := g.counts(); l != 0 || w != 0 || g.known() != 0 {
		eventually(t, "c is out", func() bool { l, _ := g.counts(); return l == 0 })
	}
}

func TestUnreadAnswersHoldBackTheirCallerAlone(t *testing.T) {
	g := newGate(4, 16)
	var read []func()
	for range maxUnread {
		finished, r := enter(t, g, "slow", 0)
		finished()
		read = append(read, r)
	}
	if _, _, err := g.enter(t.Context(), "slow", 0, time.Millisecond); !errors.Is(err, errFull) {
		t.Errorf("one more: %v", err)
	}
	_, other := enter(t, g, "b", 0)
	other()
	read[0]()
	_, last := enter(t, g, "slow", 0)
	last()
	for _, r := range read {
		r()
	}
	if l, w := g.counts(); l != 0 || w != 0 || g.known() != 0 {
		t.Errorf("%d live, %d waiting, %d shares", l, w, g.known())
	}
}

// Whoever comes and goes, the counts never go wrong.
func TestAGateUnderLoad(t *testing.T) {
	g := newGate(3, 8)
	var all sync.WaitGroup
	var mu sync.Mutex
	live := map[string]int{}
	for i := range 60 {
		who := fmt.Sprint("caller", i%5)
		r := rand.New(rand.NewPCG(1, uint64(i)))
		all.Go(func() {
			for range 50 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(2000))*time.Microsecond)
				finished, read, err := g.enter(ctx, who, 2, time.Duration(r.IntN(2000))*time.Microsecond)
				if err == nil {
					mu.Lock()
					live[who]++
					live[""]++
					if live[who] > 2 || live[""] > 3 {
						t.Errorf("%d of %s, %d of all", live[who], who, live[""])
					}
					live[who]--
					live[""]--
					mu.Unlock()
					if r.IntN(2) == 0 {
						finished()
					}
					read()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if l, w := g.counts(); l != 0 || w != 0 || g.known() != 0 {
		t.Errorf("%d live, %d waiting, %d shares", l, w, g.known())
	}
}

// Covers: T-LOC-02
func TestBodiesTakeBoundedMemory(t *testing.T) {
	b := newBudget()
	body, release, err := b.body("a", strings.NewReader("hello"))
	if err != nil || string(body) != "hello" || b.taken() == 0 {
		t.Errorf("%q %v, %d bytes taken", body, err, b.total)
	}
	release()
	release()
	_, tooLong, err := b.body("a", io.LimitReader(zeros{}, maxBodyBytes+1))
	if !errors.Is(err, errBodyTooLarge) {
		t.Errorf("a body above the limit: %v", err)
	}
	tooLong()
	if body, release, err := b.body("a", io.LimitReader(zeros{}, maxBodyBytes)); err != nil || len(body) != maxBodyBytes {
		t.Errorf("a body at the limit: %d bytes, %v", len(body), err)
	} else {
		release()
	}
	if b.taken() != 0 || len(b.shares) != 0 {
		t.Errorf("%d bytes are left, of %v", b.total, b.shares)
	}
	var held []func()
	for {
		_, release, err := b.body("hog", io.LimitReader(zeros{}, maxBodyBytes))
		held = append(held, release)
		if errors.Is(err, errBodiesFull) {
			break
		}
	}
	if len(held) != maxCallerBytes/maxBodyBytes {
		t.Errorf("%d bodies of one caller", len(held))
	}
	if _, release, err := b.body("b", bytes.NewReader(make([]byte, 1<<20))); err != nil {
		t.Errorf("another caller: %v", err)
	} else {
		release()
	}
	for _, r := range held {
		r()
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// known is how many identities the gate remembers.
func (g *gate) known() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.shares)
}
