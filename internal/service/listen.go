package service

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/coreos/go-systemd/v22/activation"
)

// passed is a socket of the service manager's. It lives on when it is closed here: who connects then waits for the next
// service.
type passed struct{ net.Listener }

// Activated are the sockets that the service manager passed; none when it passed none.
func Activated() ([]net.Listener, error) {
	all, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("socket activation: %w", err)
	}
	for i, l := range all {
		if l == nil {
			return nil, errors.New("socket activation: one of the sockets is no stream socket")
		}
		all[i] = passed{l}
	}
	return all, nil
}

// CheckTCP refuses host:port where tokens and results would cross a network in clear: beyond loopback, that takes TLS or has to be asked for.
func CheckTCP(address string, secured, plaintext bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("address %q: %w", address, err)
	}
	ip := net.ParseIP(host)
	loopback := host == "localhost" || ip != nil && ip.IsLoopback()
	if !loopback && !secured && !plaintext {
		return fmt.Errorf("%s is reachable from elsewhere, and without TLS tokens would be sent in clear", address)
	}
	return nil
}

// ListenTCP listens on host:port, which CheckTCP bears.
func ListenTCP(address string, secured, plaintext bool) (net.Listener, error) {
	if err := CheckTCP(address, secured, plaintext); err != nil {
		return nil, err
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
