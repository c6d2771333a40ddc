package supervisor

import "sync"

// queue holds a session's events until somebody reads them. Its size is
// bounded by the run's limits on console, status and tool calls, so that a
// reader who stops costs bounded memory and blocks nobody.
type queue struct {
	mu     sync.Mutex
	events []Event
	closed bool
	wake   chan struct{} // holds a token when there may be something new
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push adds e; nothing comes after a terminal event.
func (q *queue) push(e Event) {
	q.mu.Lock()
	if !q.closed {
		q.events = append(q.events, e)
		q.closed = e.Terminal()
	}
	q.mu.Unlock()
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next waits for an event; false after the terminal one.
func (q *queue) next() (Event, bool) {
	for {
		q.mu.Lock()
		if len(q.events) > 0 {
			e := q.events[0]
			q.events[0] = Event{}
			q.events = q.events[1:]
			q.mu.Unlock()
			return e, true
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			q.signal() // for another reader
			return Event{}, false
		}
		<-q.wake
	}
}
