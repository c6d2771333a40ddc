//go:build linux

package launch

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// socket is our end of the spawner's socket pair: datagrams that keep their
// bounds, with descriptors beside them.
type socket struct {
	file *os.File
	conn syscall.RawConn
}

// socketPair makes the pair; theirs is for the spawner.
func socketPair() (ours *socket, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "spawner")
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		theirs.Close()
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	file := os.NewFile(uintptr(fds[0]), "spawner")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		theirs.Close()
		return nil, nil, err
	}
	return &socket{file: file, conn: conn}, theirs, nil
}

// send sends one message. EPIPE and ECONNRESET say that the spawner has died.
func (s *socket) send(message []byte, fds ...int) error {
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	var err error
	ioErr := s.conn.Write(func(fd uintptr) bool {
		err = unix.Sendmsg(int(fd), message, rights, nil, unix.MSG_NOSIGNAL)
		return !errors.Is(err, unix.EAGAIN)
	})
	if err == nil {
		err = ioErr
	}
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) || errors.Is(err, os.ErrClosed) {
		return ErrSpawnerDead
	}
	return err
}

// receive reads one message into buf. The descriptor is -1 where none came along.
func (s *socket) receive(buf []byte) (message []byte, fd int, err error) {
	control := make([]byte, unix.CmsgSpace(4))
	var n, controlLen int
	ioErr := s.conn.Read(func(raw uintptr) bool {
		n, controlLen, _, _, err = unix.Recvmsg(int(raw), buf, control, unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(err, unix.EAGAIN)
	})
	if err == nil {
		err = ioErr
	}
	if err != nil {
		return nil, -1, err
	}
	if n == 0 {
		return nil, -1, io.EOF
	}
	return buf[:n], firstRight(control[:controlLen]), nil
}

func firstRight(control []byte) int {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return -1
	}
	for i := range messages {
		if fds, err := unix.ParseUnixRights(&messages[i]); err == nil && len(fds) > 0 {
			return fds[0]
		}
	}
	return -1
}

func (s *socket) setReadDeadline(t time.Time) error { return s.file.SetReadDeadline(t) }

// shutdown lets the spawner read the end of the file. Its answers still come.
func (s *socket) shutdown() error {
	var err error
	if ctlErr := s.conn.Control(func(fd uintptr) { err = unix.Shutdown(int(fd), unix.SHUT_WR) }); ctlErr != nil {
		return nil // closed: the spawner is gone already
	}
	if errors.Is(err, unix.ENOTCONN) {
		return nil
	}
	return err
}

func (s *socket) close() error { return s.file.Close() }
