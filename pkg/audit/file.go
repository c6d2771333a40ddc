//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package audit

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// FileOptions are the options of [OpenFile].
type FileOptions struct {
	// LockTimeout is how long an append waits for other processes that hold
	// the file's lock; 0 means 10 seconds.
	LockTimeout time.Duration
}

const defaultLockTimeout = 10 * time.Second

// OpenFile returns a sink that appends to the JSON lines file at path, which is
// created with mode 0600 when it does not exist. The last component must be a
// regular file and not a symbolic link ([ErrNotRegular]).
//
// Each append takes the file's lock (flock), continues from the last line that
// any process has written, and is a single write. When that write fails or is
// short, as on a full disk, the file is cut back to what it was. A last line
// without an end is what a crash in the middle of a write leaves: it was never
// acknowledged, so it is cut off and an "audit" record tells how many bytes
// went (a line that lacks nothing but its newline gets it). A last line that is
// no intact record, or does not follow from the one before, and anything else
// behind it is a [*CorruptError]: nothing is appended to such a file. Earlier
// lines are not looked at, which would take the longer the older a log is; that
// is for [Verify].
//
// A file that is renamed while it is open is still written to; one that is
// deleted is [ErrDeleted]; one that was truncated to nothing begins a new chain.
func OpenFile(path string, opts FileOptions) (Sink, error) {
	if opts.LockTimeout <= 0 {
		opts.LockTimeout = defaultLockTimeout
	}
	// O_NONBLOCK: opening a FIFO or a device must not wait.
	file, err := openRegular(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	f := &fileSink{file: file, fd: int(file.Fd()), opts: opts, chain: newChain()}
	// An unusable file is found now and not by the first operation.
	if err := f.locked(f.catchUp); err != nil {
		file.Close()
		return nil, f.wrap(err)
	}
	return f, nil
}

type fileSink struct {
	mu    sync.Mutex
	file  *os.File // nil once closed
	fd    int
	opts  FileOptions
	chain chain
	size  int64 // of the file when chain was true of it
	buf   []byte
}

func (f *fileSink) Append(r *Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return ErrClosed
	}
	return f.wrap(f.locked(func() error {
		if err := f.catchUp(); err != nil {
			return err
		}
		return f.append(r)
	}))
}

func (f *fileSink) Sync() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return "", ErrClosed
	}
	return f.chain.head, f.wrap(f.file.Sync())
}

func (f *fileSink) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// append writes r behind what catchUp has found; the lock is held.
func (f *fileSink) append(r *Record) error {
	line, err := f.chain.seal(r, f.buf)
	if err != nil {
		return err
	}
	f.buf = line
	n, err := write(f.fd, line)
	if err == nil && n < len(line) {
		err = fmt.Errorf("wrote %d of %d bytes: %w", n, len(line), syscall.ENOSPC)
	}
	if err != nil {
		// Should this fail too, the next append finds the torn line.
		if n > 0 {
			_ = f.file.Truncate(f.size)
		}
		return err
	}
	f.size += int64(n)
	f.chain.advance(r)
	return nil
}

// catchUp brings chain and size up to date with what other processes wrote and
// mends a torn end; the lock is held.
func (f *fileSink) catchUp() error {
	var st syscall.Stat_t
	if err := syscall.Fstat(f.fd, &st); err != nil {
		return err
	}
	switch {
	case st.Nlink == 0:
		return ErrDeleted
	case st.Size == f.size:
		return nil
	}
	end, err := readEnd(f.file, st.Size)
	if err != nil {
		return err
	}
	f.chain, f.size = end.chain, end.size
	switch {
	case end.torn == 0:
		return nil
	case end.whole:
		_, err := write(f.fd, []byte("\n"))
		if err == nil {
			f.size++
		}
		return err
	}
	if err := f.file.Truncate(f.size); err != nil {
		return err
	}
	return f.append(&Record{
		Capability: "audit", Outcome: Error, Bytes: &end.torn,
		Reason: "removed an unfinished line that a crash had left",
	})
}

func (f *fileSink) wrap(err error) error {
	var bad *CorruptError
	switch name := cut(f.file.Name(), maxNameBytes); {
	case err == nil:
		return nil
	case errors.As(err, &bad):
		return fmt.Errorf("%q cannot be continued: %w; keep it as it is, see where it breaks with supervisor audit verify, and move it away to begin another", name, err)
	default:
		return fmt.Errorf("audit log %q: %w", name, err)
	}
}

// locked runs do while this process holds the file's lock. flock has no
// time limit, and whoever may read the file may lock it; waiting must end.
func (f *fileSink) locked(do func() error) error {
	deadline := time.Time{}
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		err := syscall.Flock(f.fd, syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		switch now := time.Now(); {
		case err != syscall.EWOULDBLOCK && err != syscall.EINTR:
			return fmt.Errorf("lock: %w", err)
		case deadline.IsZero():
			deadline = now.Add(f.opts.LockTimeout)
		case now.After(deadline):
			return ErrLocked
		}
		time.Sleep(pause)
	}
	defer syscall.Flock(f.fd, syscall.LOCK_UN)
	return do()
}

// write is write(2), once: a record is in the file as a whole or not at all.
func write(fd int, p []byte) (int, error) {
	for {
		n, err := syscall.Write(fd, p)
		if err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}

func openRegular(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		if pathErr, ok := err.(*os.PathError); ok && (pathErr.Err == syscall.ELOOP || pathErr.Err == syscall.EMLINK) {
			err = fmt.Errorf("open %q: %w", path, ErrNotRegular)
		}
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %q: %w", path, ErrNotRegular)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
