package confine

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/launch"
)

// Figures are measured at a realm's end.
type Figures struct {
	CPU       time.Duration
	PeakBytes int64
	OOMKills  int64
	Exit      launch.Exit
	Stderr    string
}

// Exit statuses by which a realm tells why it ended itself.
const (
	exitUsage = 81 // arguments, or another version
	exitSetup = 82 // a confinement step failed before a source came
	ExitOOM   = 86 // V8 found no memory
	ExitFatal = 87 // V8 gave up
)

// Finish kills the realm and reads what it has used, while the kernel takes it
// apart: a tenth of a millisecond where End waits for several. How it ended is
// not among the figures. End has to follow.
func (r *Realm) Finish() Figures {
	r.Kill()
	var fig Figures
	if r.measure(&fig); fig.PeakBytes == 0 {
		return r.End() // no control group counts: the kernel does, once it is gone
	}
	return fig
}

func (r *Realm) measure(fig *Figures) {
	s, err := r.group.Stats()
	if err != nil {
		return
	}
	fig.PeakBytes, fig.OOMKills = s.PeakMemoryBytes, s.OOMKills
	if s.CPU > 0 {
		fig.CPU = s.CPU
	}
}

// End kills what is left of the realm, reads its figures and removes it. A second
// call does nothing.
func (r *Realm) End() Figures {
	var fig Figures
	if r.ended {
		return fig
	}
	r.ended = true
	if r.process != nil {
		_ = r.process.Kill()
		fig.Exit = r.process.Wait()
		fig.CPU = fig.Exit.CPU
	}
	for _, f := range []*os.File{r.in, r.out, r.control} {
		if f != nil {
			_ = f.Close()
		}
	}
	if r.stderr != nil {
		fig.Stderr = r.stderr.close()
	}
	if r.group == nil {
		return fig
	}
	r.measure(&fig)
	if fig.PeakBytes == 0 {
		fig.PeakBytes = fig.Exit.MaxRSSBytes
	}
	if err := r.group.Remove(); err != nil && !errors.Is(err, os.ErrNotExist) {
		fig.Stderr += "\ncgroup: " + err.Error()
	}
	return fig
}

func describe(e launch.Exit) string {
	switch {
	case e.Lost:
		return "killed with the spawner"
	case e.Signal != 0:
		return "killed by " + unix.SignalName(e.Signal)
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Describe says in words how a realm ended.
func (f Figures) Describe() string { return describe(f.Exit) }
