package network

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// connectTimeout bounds look-up and dialling together; the run's own deadline may be sooner.
const connectTimeout = 10 * time.Second

// ticketKey is under what a dial finds the ticket of the request that it is for.
type ticketKey struct{}

// dial connects to the host of the request's ticket. The transport's own idea of the address is not used.
func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	t, ok := ctx.Value(ticketKey{}).(grants.Fetch)
	if !ok || !t.Valid() {
		return nil, capability.NoTicket()
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	// The transport lets a dial go on when its request is gone. Not beyond the run.
	defer context.AfterFunc(c.ctx, cancel)()

	addresses, err := c.addresses(ctx, t)
	if err != nil {
		return nil, err
	}
	conn, err := c.connect(ctx, addresses, t.Origin().Port)
	if err != nil {
		return nil, err
	}
	// The transport leaves a connection open for as long as it believes in a request on it. Not beyond the run.
	return &tied{conn, context.AfterFunc(c.ctx, func() { conn.Close() })}, nil
}

// tied is a connection that ends with its client.
type tied struct {
	net.Conn
	untie func() bool
}

func (t *tied) Close() error {
	t.untie()
	return t.Conn.Close()
}

// addresses returns what may be dialled for the ticket, never nothing without an error.
func (c *Client) addresses(ctx context.Context, t grants.Fetch) ([]netip.Addr, error) {
	if a, ok := t.Address(); ok {
		return []netip.Addr{a}, nil
	}
	if t.Localhost() {
		return loopback(), nil
	}
	host := t.Origin().Host
	if t.PrivateAllowed() {
		return c.resolve(ctx, host)
	}
	// A final dot keeps the search list of the host away from names of the public internet.
	found, err := c.resolve(ctx, host+".")
	if err != nil && !c.local(ctx, host) {
		return nil, err
	}
	checked := slices.DeleteFunc(found, func(a netip.Addr) bool { return !public(a) })
	if len(checked) == 0 {
		return nil, &grants.Denial{
			Capability: grants.CapabilityNetwork,
			Target:     t.Target(),
			Rule:       "the host's name leads to an address that is not public",
			Hint:       "network: {privateHosts: [" + host + "]}",
		}
	}
	return checked, nil
}

// local reports whether a name that the public internet does not have is one of this host's network: it has no dot, and the host's
// own files and search list lead to addresses that are not public. Nothing is dialled because of it; a grant would decide.
func (c *Client) local(ctx context.Context, host string) bool {
	if strings.Contains(host, ".") {
		return false
	}
	found, err := c.resolve(ctx, host)
	return err == nil && !slices.ContainsFunc(found, public)
}

func (c *Client) resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	if strings.HasSuffix(strings.TrimSuffix(name, "."), ".localhost") {
		return loopback(), nil // whatever a name server says: RFC 6761, 6.3
	}
	found, err := c.config.Resolver.LookupNetIP(ctx, "ip", name)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no addresses", Name: name, IsNotFound: true}
	}
	if err != nil {
		return nil, lookupFailure(strings.TrimSuffix(name, "."), err)
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	return found, nil
}

func loopback() []netip.Addr {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
}

// connect dials the addresses one after the other, each with its share of the time that is left.
func (c *Client) connect(ctx context.Context, addresses []netip.Addr, port uint16) (net.Conn, error) {
	var first error
	for i, a := range addresses {
		conn, err := c.dialOne(ctx, netip.AddrPortFrom(a, port), len(addresses)-i)
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func (c *Client) dialOne(ctx context.Context, to netip.AddrPort, left int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	return c.config.Dial(ctx, "tcp", to.String())
}

// lookupFailure tells the guest what went wrong without naming the host's resolvers.
func lookupFailure(host string, err error) error {
	code, what := lookupCode(err)
	return &capability.Failure{Code: code, Message: "the name " + host + " " + what, Host: err}
}
