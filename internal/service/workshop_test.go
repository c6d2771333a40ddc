package service

import (
	"slices"
	"testing"
	"testing/synctest"
)

// workers enter a workshop and say so.
type workers struct {
	w  *workshop
	in []string // in their order
}

func (w *workers) enter(who string, size int64) (leave chan func()) {
	leave = make(chan func(), 1)
	go func() {
		l := w.w.enter(who, size)
		w.in = append(w.in, who)
		leave <- l
	}()
	synctest.Wait()
	return leave
}

func (w *workers) leave(one chan func()) {
	leave := <-one
	leave()
	leave() // once more gives nothing
	synctest.Wait()
}

func (w *workers) are(t *testing.T, when string, want ...string) {
	t.Helper()
	if !slices.Equal(w.in, want) {
		t.Errorf("%s: %v are in, not %v", when, w.in, want)
	}
}

// Covers: T-LOC-02
func TestResultsHaveRoomInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &workers{w: &workshop{each: 10, all: 20, benches: map[string]*bench{}}}
		a1 := w.enter("a", 6)
		a2 := w.enter("a", 6)
		a3 := w.enter("a", 6)
		w.are(t, "a has its share", "a")
		b1 := w.enter("b", 10)
		w.are(t, "b is not kept out", "a", "b")
		c1 := w.enter("c", 8)
		w.are(t, "c waits for room", "a", "b")
		w.leave(a1)
		w.are(t, "a's next was first", "a", "b", "a")
		w.leave(b1)
		w.are(t, "then it is c's turn, and a has its share", "a", "b", "a", "c")
		w.leave(a2)
		w.are(t, "and a's", "a", "b", "a", "c", "a")
		w.leave(a3)
		w.leave(c1)
		if w.w.taken() != 0 || len(w.w.benches) != 0 || len(w.w.turn) != 0 {
			t.Errorf("left: %+v", w.w)
		}
	})
}

// Covers: T-LOC-02
func TestAResultLargerThanAllRoomGoesInAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &workers{w: &workshop{each: 10, all: 20, benches: map[string]*bench{}}}
		a := w.enter("a", 5)
		large := w.enter("b", 50)
		c := w.enter("c", 1)
		w.are(t, "nobody passes it", "a")
		w.leave(a)
		w.are(t, "it is alone", "a", "b")
		w.leave(large)
		w.are(t, "and others follow", "a", "b", "c")
		w.leave(c)
	})
}
