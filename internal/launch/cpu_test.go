//go:build linux

package launch

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime of this process: what a step costs, whatever else the machine does.
func cpuTime() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func reportCPU(b *testing.B, start time.Duration) {
	b.ReportMetric(float64(cpuTime()-start)/float64(b.N)/1000, "cpu-µs/op")
}
