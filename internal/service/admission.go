package service

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	maxConns        = 1024 // altogether
	maxCallerConns  = 400  // of one user, or from one address
	maxUnknownConns = 16   // of a user whom the policy does not know
)

// admission bounds the connections of a listener.
type admission struct {
	net.Listener
	conns *connCounts
	limit func(*peer) int // of one identity; nil for TCP
}

// connCounts are the open connections of all listeners.
type connCounts struct {
	mu      sync.Mutex
	total   int
	each    map[string]int
	refused func()
}

// admitted is a connection that was let in.
type admitted struct {
	net.Conn
	peer  *peer
	leave func()
}

func (a *admitted) Close() error {
	a.leave()
	return a.Conn.Close()
}

// Accept lets a connection in or turns it away; it fails only when the listener does.
func (a *admission) Accept() (net.Conn, error) {
	for {
		c, err := a.Listener.Accept()
		if err != nil {
			return nil, err
		}
		in, err := a.admit(c)
		if err == nil {
			return in, nil
		}
		a.conns.refused()
		turnAway(c)
	}
}

func (a *admission) admit(c net.Conn) (*admitted, error) {
	in := &admitted{Conn: c}
	who, most := "", maxCallerConns
	if u, ok := c.(*net.UnixConn); ok {
		p, err := peerOf(u)
		if err != nil {
			return nil, err
		}
		in.peer, who, most = &p, fmt.Sprintf("uid:%d", p.uid), a.limit(&p)
	} else if host, _, err := net.SplitHostPort(c.RemoteAddr().String()); err == nil {
		who = host
	}
	a.conns.mu.Lock()
	defer a.conns.mu.Unlock()
	if a.conns.total >= maxConns || a.conns.each[who] >= most {
		return nil, errors.New("too many connections")
	}
	a.conns.total++
	a.conns.each[who]++
	in.leave = sync.OnceFunc(func() {
		a.conns.mu.Lock()
		defer a.conns.mu.Unlock()
		a.conns.total--
		if a.conns.each[who]--; a.conns.each[who] == 0 {
			delete(a.conns.each, who)
		}
	})
	return in, nil
}

// turnedAway is the answer to a connection too many.
const turnedAway = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 1\r\nConnection: close\r\n" +
	"Content-Length: 102\r\n\r\n" +
	`{"type":"about:blank","title":"Too many connections","status":503,"code":"CAPACITY","detail":"wait"}` + "\r\n"

// turnAway answers without ever waiting: what fits into the socket's buffer.
func turnAway(c net.Conn) {
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.Write([]byte(turnedAway))
	_ = c.Close()
}

func (n *connCounts) open() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.total
}
