package confine

import (
	"io"
	"os"
	"syscall"
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
}

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
	if err := p.raw.Read(p.in); err != nil {
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
