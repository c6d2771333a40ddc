//go:build linux

package realm

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/engine"
	"realm.internal/supervisor/pkg/rpc"
)

// The descriptors that the launcher leaves.
const (
	fdIn      = 3
	fdOut     = 4
	fdControl = 5
)

// fd reads and writes a blocking descriptor without Go's poller.
type fd int

func (f fd) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(f), b)
		if err == unix.EINTR {
			continue
		}
		if n == 0 && err == nil {
			return 0, errGone
		}
		return max(n, 0), err
	}
}

func (f fd) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		n, err := unix.Write(int(f), b[done:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// link is the way to the supervisor. It waits for a frame, the control thread or the time, whichever is first.
type link struct {
	*rpc.Writer
	buffer *bufio.Reader
	frames *rpc.Reader
	epoll  int
	wake   int
}

func newLink() (*link, error) {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	for _, f := range []int{fdIn, wake} {
		if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, f, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(f)}); err != nil {
			return nil, fmt.Errorf("epoll_ctl: %w", err)
		}
	}
	buffer := bufio.NewReaderSize(fd(fdIn), 64<<10)
	return &link{Writer: rpc.NewWriter(fd(fdOut)), buffer: buffer, frames: rpc.NewReader(buffer), epoll: epoll, wake: wake}, nil
}

// wait blocks until a frame begins (true), the control thread woke us, or the time has passed.
func (l *link) wait(milliseconds float64) (bool, error) {
	if l.buffer.Buffered() > 0 {
		return true, nil
	}
	timeout := -1
	if milliseconds >= 0 {
		timeout = int(math.Min(math.Ceil(milliseconds), math.MaxInt32))
	}
	var events [2]unix.EpollEvent
	// epoll_wait is not among the calls that the filter allows.
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(timeout), 0, 0)
	if errno == unix.EINTR {
		return false, nil
	}
	if errno != 0 {
		return false, fmt.Errorf("epoll_pwait: %w", errno)
	}
	frame := false
	for _, e := range events[:n] {
		if int(e.Fd) == fdIn {
			frame = true
			continue
		}
		var count [8]byte
		if _, err := fd(l.wake).Read(count[:]); err != nil || binary.NativeEndian.Uint64(count[:]) == 0 {
			return false, fmt.Errorf("read eventfd: %w", err)
		}
		return false, nil // what stopped the engine comes first
	}
	return frame, nil
}

// next reads one frame of the one op that may come now.
func (l *link) next(op rpc.Op, m rpc.Message) (uint64, error) {
	f, err := l.frames.Next(func(got rpc.Op) (int, error) {
		if got != op {
			return 0, fmt.Errorf("%s where %s was expected", got, op)
		}
		return rpc.MaxFrameBytes, nil
	})
	if err != nil {
		return 0, err
	}
	return f.ID, f.Decode(m)
}

// Wait implements engine.Link.
func (l *link) Wait(milliseconds float64) (*engine.Reply, error) {
	frame, err := l.wait(milliseconds)
	if !frame || err != nil {
		return nil, err
	}
	reply := &engine.Reply{}
	if reply.ID, err = l.next(rpc.OpReply, &reply.Reply); err != nil {
		return nil, err
	}
	return reply, nil
}

// idle waits for d and reports whether nothing came meanwhile.
func (l *link) idle(d time.Duration) (bool, error) {
	frame, err := l.wait(float64(d) / float64(time.Millisecond))
	return !frame, err
}
