package network

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// failure gives an error of a request its type. Denials and failures that were found deeper pass through.
func (c *Client) failure(ctx context.Context, t grants.Fetch, err error) error {
	if ctx.Err() != nil || c.ctx.Err() != nil { // the latter closes connections, maybe before it ends ctx
		return &capability.Failure{Code: "ECANCELED", Message: "the request was cancelled", Host: cmp.Or(context.Cause(ctx), context.Cause(c.ctx))}
	}
	var denial *grants.Denial
	if errors.As(err, &denial) {
		return denial
	}
	var failed *capability.Failure
	if errors.As(err, &failed) {
		return failed
	}
	code, what := requestCode(err)
	return &capability.Failure{Code: code, Message: t.Origin().String() + ": " + what, Host: err}
}

// errnos are the errors of the system that a request can end with.
var errnos = [...]struct {
	errno      syscall.Errno
	code, what string
}{
	{syscall.ECONNREFUSED, "ECONNREFUSED", "the connection was refused"},
	{syscall.ECONNRESET, "ECONNRESET", "the connection was reset"},
	{syscall.EPIPE, "ECONNRESET", "the connection was reset"},
	{syscall.ECONNABORTED, "ECONNRESET", "the connection was aborted"},
	{syscall.ETIMEDOUT, "ETIMEDOUT", "the connection timed out"},
	{syscall.EHOSTUNREACH, "EHOSTUNREACH", "the host cannot be reached"},
	{syscall.ENETUNREACH, "ENETUNREACH", "the network cannot be reached"},
	{syscall.EACCES, "EACCES", "the connection was not permitted"},
	{syscall.EPERM, "EACCES", "the connection was not permitted"},
	{syscall.EADDRNOTAVAIL, "EADDRNOTAVAIL", "no local address is available"},
}

// requestCode names what went wrong, in words that hold nothing from the network.
func requestCode(err error) (code, what string) {
	for _, e := range errnos {
		if errors.Is(err, e.errno) {
			return e.code, e.what
		}
	}
	if code, what := certificateCode(err); code != "" {
		return code, what
	}
	var coding *codingError
	var timeout net.Error
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return "ETIMEDOUT", "the connection timed out"
	case errors.As(err, &coding):
		return "EPROTO", "the body is not the gzip that its header says"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "ECONNRESET", "the connection ended before the response did"
	case isTLS(err):
		return "EPROTO", "the TLS handshake failed"
	}
	return "EPROTO", "the response is not HTTP that can be used"
}

func certificateCode(err error) (code, what string) {
	var invalid x509.CertificateInvalidError
	var hostname x509.HostnameError
	var authority x509.UnknownAuthorityError
	var verification *tls.CertificateVerificationError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "CERT_EXPIRED", "the certificate has expired or is not yet valid"
	case errors.As(err, &hostname):
		return "CERT_HOSTNAME", "the certificate is for another name"
	case errors.As(err, &authority):
		return "CERT_UNTRUSTED", "the certificate's authority is not trusted"
	case errors.As(err, &invalid), errors.As(err, &verification):
		return "CERT_INVALID", "the certificate is not valid"
	}
	return "", ""
}

func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &record) || errors.As(err, &alert)
}

// lookupCode names what went wrong with a look-up.
func lookupCode(err error) (code, what string) {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "ENOTFOUND", "does not exist"
	case errors.As(err, &dns) && dns.IsTimeout, errors.Is(err, context.DeadlineExceeded):
		return "ETIMEDOUT", "could not be resolved in time"
	}
	return "EAI_AGAIN", "could not be resolved"
}
