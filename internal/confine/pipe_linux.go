package confine

import (
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pipe reads or writes a pipe that does not block, as the file itself would, but
// by raw system calls: since they cannot block, the scheduler need not hear of
// each, which costs a message more than the call (it wakes the runtime's monitor
// thread, most of all). A read and a write may not run at one time.
type pipe struct {
	raw      syscall.RawConn
	in, out  func(fd uintptr) bool // made once: a closure for each call would be garbage
	buf      []byte
	done     int
	finished unix.Errno
	brisk    bool // the last read did not wait long
}

// briefly is how long a read looks on before it sleeps, when the last one was about
// that short: to wake a processor that has gone idle takes longer than a whole call.
const briefly = 50 * time.Microsecond

func newPipe(f *os.File) (*pipe, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	p := &pipe{raw: raw}
	p.in, p.out = p.readOnce, p.writeAll
	return p, nil
}

// Read implements io.Reader. The file's deadline holds for it.
func (p *pipe) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	p.buf, p.done, p.finished = b, 0, 0
	began := time.Now()
	err := p.raw.Read(p.in)
	p.brisk = time.Since(began) < 2*briefly
	if err != nil {
		return 0, err
	}
	if p.finished != 0 {
		return 0, os.NewSyscallError("read", p.finished)
	}
	if p.done == 0 {
		return 0, io.EOF
	}
	return p.done, nil
}

// Write implements io.Writer.
func (p *pipe) Write(b []byte) (int, error) {
	p.buf, p.done, p.finished = b, 0, 0
	if err := p.raw.Write(p.out); err != nil {
		return p.done, err
	}
	if p.finished != 0 {
		return p.done, os.NewSyscallError("write", p.finished)
	}
	return p.done, nil
}

// readOnce is false while there is nothing to read.
func (p *pipe) readOnce(fd uintptr) bool {
	n, errno := call(unix.SYS_READ, fd, p.buf)
	for began := time.Now(); errno == unix.EAGAIN && p.brisk && time.Since(began) < briefly; {
		_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		n, errno = call(unix.SYS_READ, fd, p.buf)
	}
	p.brisk = false // once is enough
	p.done, p.finished = n, errno
	return errno != unix.EAGAIN
}

// writeAll is false while there is no room.
func (p *pipe) writeAll(fd uintptr) bool {
	for p.done < len(p.buf) {
		n, errno := call(unix.SYS_WRITE, fd, p.buf[p.done:])
		if errno != 0 {
			p.finished = errno
			return errno != unix.EAGAIN
		}
		p.done += n
	}
	p.finished = 0
	return true
}

func call(number, fd uintptr, b []byte) (int, unix.Errno) {
	for {
		n, _, errno := unix.RawSyscall(number, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		if errno == 0 {
			return int(n), 0
		}
		if errno != unix.EINTR {
			return 0, errno
		}
	}
}
