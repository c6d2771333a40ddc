package service

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
)

// Activated are the sockets that the service manager passed; none when it passed none.
func Activated() ([]net.Listener, error) {
	all, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("socket activation: %w", err)
	}
	for _, l := range all {
		if l == nil {
			return nil, errors.New("socket activation: one of the sockets is no stream socket")
		}
	}
	return all, nil
}

// ListenUnix makes the service's own socket: for the owner and the group alone, from the first moment on. A socket that
// nobody listens on any more is replaced. gid -1 keeps the process's group. Closing the listener removes the socket.
func ListenUnix(path string, gid int) (net.Listener, error) {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the directory %s of the socket does not exist; make it, or let systemd with RuntimeDirectory=supervisor", dir)
	} else if err != nil {
		return nil, fmt.Errorf("the directory of the socket: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory", dir)
	}
	if err := replaceable(path); err != nil {
		return nil, err
	}
	// Under another name until its mode is right: what is bound can be connected to.
	fresh := path + "." + strconv.Itoa(os.Getpid())
	_ = os.Remove(fresh)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
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
		return nil, fmt.Errorf("make the socket: %w", err)
	}
	return &ownSocket{l, path, info}, nil
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

// ownSocket removes its file when it closes, unless another has taken its place.
type ownSocket struct {
	*net.UnixListener
	path string
	made os.FileInfo
}

// Addr is where the socket is, not where it was made.
func (s *ownSocket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

// Close removes and closes the socket.
func (s *ownSocket) Close() error {
	if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.made) {
		_ = os.Remove(s.path)
	}
	return s.UnixListener.Close()
}

// ListenTCP listens on host:port. Without TLS, tokens and results are in clear: beyond loopback that has to be asked for.
func ListenTCP(address string, secured, plaintext bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", address, err)
	}
	ip := net.ParseIP(host)
	loopback := host == "localhost" || ip != nil && ip.IsLoopback()
	if !loopback && !secured && !plaintext {
		return nil, fmt.Errorf("%s is reachable from elsewhere, and without TLS tokens would be sent in clear", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// secure makes TLS connections of a TCP listener's.
func (s *Service) secure(l net.Listener) net.Listener {
	return tls.NewListener(l, &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.current().tls, nil },
	})
}
