package supervisor

import "time"

// How long a realm that was told to stop may live on, to say where it was.
const (
	// grace is the CPU that it may use once it has heard. An engine in JavaScript answers within a millisecond; one in a
	// native loop never.
	grace = 5 * time.Millisecond
	// deaf is the CPU that it may use before. On a busy host the guest has a processor and the control thread waits for one.
	deaf = 100 * time.Millisecond
	// maxGrace is the time that all of it may take.
	maxGrace = time.Second
)

// farewell measures what a realm that was told to stop still uses.
type farewell struct {
	began time.Duration // CPU that it had used by then
	heard bool
	from  time.Duration // and when it was first seen to have heard
}

// left is how much CPU it may still use, of which it has used so much in all.
func (f *farewell) left(used time.Duration, heard bool) time.Duration {
	if !f.heard {
		f.heard, f.from = heard, used
	}
	if !f.heard {
		return deaf - (used - f.began)
	}
	return grace - (used - f.from)
}

// pause is when to look again: who has not heard could at any moment.
func (f *farewell) pause(left time.Duration) time.Duration {
	if !f.heard {
		return time.Millisecond
	}
	return max(left, time.Millisecond)
}
