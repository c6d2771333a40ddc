package service

import (
	"slices"
	"sync"
)

// workshop bounds the memory in which what guests send, results and parameters of tools, is decoded and encoded. Each
// value takes room by its size before it is decoded, and gives it back once it is encoded, which waits for no client;
// then it is an answer's, which has a budget of its own. Who has to wait is let in in turn with the other identities,
// and nobody passes the one whose turn it is, so that large values get in too. One that is larger than all the room
// there is goes in alone.
type workshop struct {
	mu        sync.Mutex
	each, all int64 // limits
	total     int64
	benches   map[string]*bench
	turn      []*bench // those with waiting values, the next in turn first
}

// bench is what one identity has of the workshop.
type bench struct {
	held    int64
	waiting []*job
}

// job is one value.
type job struct {
	size int64
	in   chan struct{} // closed when it has room
}

func newWorkshop() *workshop {
	return &workshop{each: maxCallerBytes, all: maxTotalBytes, benches: map[string]*bench{}}
}

// enter waits for room of that size. leave gives it back; it may be called again.
func (w *workshop) enter(who string, size int64) (leave func()) {
	j := &job{size: size, in: make(chan struct{})}
	w.mu.Lock()
	b := w.benches[who]
	if b == nil {
		b = &bench{}
		w.benches[who] = b
	}
	if b.waiting = append(b.waiting, j); len(b.waiting) == 1 {
		w.turn = append(w.turn, b)
	}
	w.admit()
	w.mu.Unlock()
	<-j.in
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.total -= size
		if b.held -= size; b.held == 0 && len(b.waiting) == 0 {
			delete(w.benches, who)
		}
		w.admit()
	})
}

// fits reports whether size has room beside what is held; what has no room anywhere has it where nothing is held.
func fits(held, size, limit int64) bool { return held == 0 || held+size <= limit }

// admit lets in whom it can, one of each identity in turn.
func (w *workshop) admit() {
	for i := 0; i < len(w.turn); {
		b := w.turn[i]
		j := b.waiting[0]
		if !fits(b.held, j.size, w.each) { // its own doing: others go on
			i++
			continue
		}
		if !fits(w.total, j.size, w.all) {
			return
		}
		w.total += j.size
		b.held += j.size
		close(j.in)
		b.waiting = b.waiting[1:]
		w.turn = slices.Delete(w.turn, i, i+1)
		if len(b.waiting) > 0 {
			w.turn = append(w.turn, b)
		}
		i = 0
	}
}

// taken is how many bytes are held now.
func (w *workshop) taken() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.total
}
