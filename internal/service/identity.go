package service

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"

	"realm.internal/supervisor/pkg/policy"
)

// peerKey is where a connection's context keeps its *peer; without one the connection is TCP.
type peerKey struct{}

// withPeer is the ConnContext of the server.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	if a, ok := c.(*admitted); ok && a.peer != nil {
		return context.WithValue(ctx, peerKey{}, a.peer)
	}
	return ctx
}

// identify says who sent a request and what the policy says to them. name is a name space of its own for every
// identity; found says whether the policy knows it. Over TCP, without a token that is known, name is "".
func identify(r *http.Request, p *policy.Policy, t *tokens) (name string, caller policy.Caller, found bool) {
	if peer, ok := r.Context().Value(peerKey{}).(*peer); ok {
		caller, found = p.ForPeer(peer.uid, peer.gids)
		return fmt.Sprintf("uid:%d", peer.uid), caller, found
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", caller, false
	}
	named, ok := t.name(strings.TrimSpace(token))
	if !ok {
		return "", caller, false
	}
	caller, found = p.ForToken(named)
	return "token:" + named, caller, found
}
