package network

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

const (
	// maxHeaderBytes bounds the headers of a request and, separately, of a response.
	maxHeaderBytes = 64 << 10
	// handshakeTimeout bounds a TLS handshake.
	handshakeTimeout = 10 * time.Second
	// streamBuffer bounds what an HTTP/2 origin can send ahead of the reader.
	streamBuffer = 256 << 10
)

// Decider decides about redirects; *grants.Checker is one.
type Decider interface {
	Redirect(from grants.Fetch, method, target string) (grants.Fetch, error)
}

// Resolver looks names up; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config is what a client needs from its run.
type Config struct {
	Decider Decider
	// Secret returns the value of a secret that a ticket injects. Nil when no grant injects any.
	Secret func(name string) (value string, ok bool)
	// RootCAs are the authorities to trust; nil means those of the system. See [Roots].
	RootCAs *x509.CertPool
	// Resolver defaults to the system's configuration read by Go's own resolver.
	Resolver Resolver
	// Dial connects to an address and port in literal form; default a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Roots are the system's authorities and those in pem, for [Config.RootCAs].
func Roots(pem []byte) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's certificate authorities: %w", err)
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("no certificate in the file of extra authorities")
	}
	return pool, nil
}

// Client executes the requests of one run. A request whose context ends ends the client, and its connections with it.
type Client struct {
	config    Config
	transport *http.Transport
	ctx       context.Context // ends with Close, and with the context of a request
	cancel    context.CancelFunc
}

// New returns a client that has nothing open yet. The caller closes it at the end of the run.
func New(config Config) *Client {
	if config.Resolver == nil {
		config.Resolver = &net.Resolver{PreferGo: true}
	}
	if config.Dial == nil {
		config.Dial = (&net.Dialer{}).DialContext
	}
	c := &Client{config: config}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.transport = &http.Transport{
		DialContext:         c.dial,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: config.RootCAs},
		TLSHandshakeTimeout: handshakeTimeout,
		ForceAttemptHTTP2:   true,
		// No HTTP/1 connection waits for the next request: what an origin says on one unasked, such as a header that it
		// was sent, net/http writes to the process's log.
		MaxIdleConnsPerHost:    -1,
		DisableCompression:     true, // done here, where it is counted
		MaxResponseHeaderBytes: maxHeaderBytes,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream:     streamBuffer,
			MaxReceiveBufferPerConnection: 4 * streamBuffer,
		},
	}
	return c
}

// Close ends what is in flight and closes every connection.
func (c *Client) Close() {
	c.cancel()
	c.transport.CloseIdleConnections()
}

// Request is what the ticket does not say.
type Request struct {
	Headers [][2]string // names and values, in the guest's order
	Body    []byte      // bounded by the caller
}

// Response is what an origin answered, the body decompressed.
type Response struct {
	Status     int
	StatusText string // "" over HTTP/2
	URL        string // of the last hop
	Redirected bool
	Headers    [][2]string // lower-case names, sorted; values are valid UTF-8
	Body       []byte
}

// Fetch performs the request and follows its redirects. The error is a *grants.Denial when the request, one of its
// redirects or the size of the answer is refused, and a *capability.Failure when it went wrong or ctx ended.
func (c *Client) Fetch(ctx context.Context, t grants.Fetch, r Request) (*Response, error) {
	if !t.Valid() {
		return nil, capability.NoTicket()
	}
	header, err := requestHeader(t, r)
	if err != nil {
		return nil, err
	}
	// An HTTP/2 origin that does not read holds whoever reads from it beyond every context: its connection must end.
	defer context.AfterFunc(ctx, c.cancel)()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()

	injected := len(t.Injections()) > 0
	for body, redirected := r.Body, false; ; redirected = true {
		response, err := c.send(ctx, t, header, body)
		if err != nil {
			return nil, c.failure(ctx, t, err)
		}
		location := redirectTarget(response)
		if location == "" {
			defer response.Body.Close()
			if injected {
				hideLengths(response.Header)
			}
			return c.receive(ctx, t, response, redirected)
		}
		response.Body.Close()
		method, keepBody := redirectMethod(response.StatusCode, t.Method())
		next, err := c.config.Decider.Redirect(t, method, location)
		if err != nil {
			return nil, err
		}
		t = next
		if !keepBody {
			body = nil
		}
		trimHeader(header, t, keepBody)
	}
}

// send makes one request, with the headers that are the supervisor's own.
func (c *Client) send(ctx context.Context, t grants.Fetch, header http.Header, body []byte) (*http.Response, error) {
	request := &http.Request{Method: t.Method(), URL: t.URL(), Header: header.Clone()}
	if len(body) > 0 {
		request.ContentLength = int64(len(body))
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		request.Body, _ = request.GetBody()
	}
	if err := c.inject(request.Header, t); err != nil {
		return nil, err
	}
	return c.transport.RoundTrip(request.WithContext(context.WithValue(ctx, ticketKey{}, t)))
}

// inject adds the headers that the guest must not see, after every decision.
func (c *Client) inject(header http.Header, t grants.Fetch) error {
	for _, in := range t.Injections() {
		if o := t.Origin(); o.Scheme != "https" && !o.Loopback() {
			return fmt.Errorf("inject %s: %s is neither https nor loopback", in.Header, o)
		}
		value, ok := "", false
		if c.config.Secret != nil {
			value, ok = c.config.Secret(in.Secret)
		}
		if !ok {
			return &capability.Failure{Code: "ENOKEY", Message: "the secret " + in.Secret + " is not available"}
		}
		header.Set(in.Header, in.Prefix+value)
	}
	return nil
}
