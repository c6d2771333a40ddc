package service

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// ListenUnix makes the service's own socket: for the owner and the group alone, from the first moment on. A socket that
// nobody listens on any more is replaced. gid -1 keeps the process's group. Closing the listener removes the socket.
func ListenUnix(path string, gid int) (net.Listener, error) {
	l, made, err := bind(path, gid)
	if err != nil {
		return nil, err
	}
	return &ownSocket{path: path, gid: gid, in: l, made: made}, nil
}

// bind makes the socket at path.
func bind(path string, gid int) (*net.UnixListener, os.FileInfo, error) {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("the directory %s of the socket does not exist; make it, or let systemd with RuntimeDirectory=supervisor", dir)
	} else if err != nil {
		return nil, nil, fmt.Errorf("the directory of the socket: %w", err)
	} else if !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is no directory", dir)
	}
	if err := replaceable(path); err != nil {
		return nil, nil, err
	}
	// Under another name until its mode is right: what is bound can be connected to.
	fresh := path + "." + strconv.Itoa(os.Getpid())
	_ = os.Remove(fresh)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, nil, fmt.Errorf("listen: %w", err)
	}
	l.SetUnlinkOnClose(false)
	err = os.Chmod(fresh, 0o660)
	if err == nil && gid >= 0 {
		err = os.Chown(fresh, -1, gid)
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	var info os.FileInfo
	if err == nil {
		info, err = os.Lstat(path)
	}
	if err != nil {
		_ = l.Close()
		_ = os.Remove(fresh)
		return nil, nil, fmt.Errorf("make the socket: %w", err)
	}
	return l, info, nil
}

// replaceable refuses a path that is something else than a socket, or one that somebody listens on.
func replaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the socket: %w", err)
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s exists and is no socket", path)
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = c.Close()
		return fmt.Errorf("another service listens on %s", path)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the socket: %w", err)
	}
	return nil
}

// ownSocket removes its file when it closes, unless another has taken its place, and makes it again when it is lost.
type ownSocket struct {
	path string
	gid  int

	mu     sync.Mutex
	in     *net.UnixListener
	made   os.FileInfo // the file that is in's
	closed bool
}

// Addr is where the socket is, not where it was made.
func (s *ownSocket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

func (s *ownSocket) current() *net.UnixListener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.in
}

// Accept waits for a connection, also where the socket is made again meanwhile.
func (s *ownSocket) Accept() (net.Conn, error) {
	for {
		in := s.current()
		c, err := in.Accept()
		if err == nil || s.current() == in {
			return c, err
		}
	}
}

// renew makes the socket again when its file is gone or another's, and reports whether it did. Without its directory,
// or while somebody else listens there, it cannot.
func (s *ownSocket) renew() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, err := os.Lstat(s.path); s.closed || err == nil && os.SameFile(now, s.made) {
		return false, nil
	}
	in, made, err := bind(s.path, s.gid)
	if err != nil {
		return false, err
	}
	_ = s.in.Close()
	s.in, s.made = in, made
	return true, nil
}

// Close removes and closes the socket.
func (s *ownSocket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.made) {
		_ = os.Remove(s.path)
	}
	return s.in.Close()
}
