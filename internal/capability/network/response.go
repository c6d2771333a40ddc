package network

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// limitKey is the limit of one response in a grants document.
const limitKey = "maxNetworkBytes"

// receive reads the answer, never more of it than the ticket allows.
func (c *Client) receive(ctx context.Context, t grants.Fetch, r *http.Response, redirected bool) (*Response, error) {
	if r.StatusCode < 200 {
		return nil, &capability.Failure{Code: "EPROTO", Message: "the origin switched protocols"}
	}
	encoded := t.Method() != http.MethodHead && isGzip(r.Header)
	if !encoded && t.Method() != http.MethodHead && r.ContentLength > t.MaxBytes() {
		return nil, grants.ExceededBytes(t.Target(), limitKey, t.MaxBytes(), r.ContentLength)
	}
	body, err := readBody(r.Body, encoded, t.MaxBytes())
	if errors.Is(err, errTooLarge) {
		return nil, grants.ExceededBytes(t.Target(), limitKey, t.MaxBytes(), 0)
	}
	if err != nil {
		return nil, c.failure(ctx, t, err)
	}
	if encoded {
		r.Header.Del("Content-Encoding")
		r.Header.Del("Content-Length")
	}
	_, text, _ := strings.Cut(r.Status, " ")
	return &Response{
		Status:     r.StatusCode,
		StatusText: printable(text),
		URL:        t.URL().String(),
		Redirected: redirected,
		Headers:    responseHeaders(r.Header),
		Body:       body,
	}, nil
}

// hideLengths removes what would tell the length of a secret to a guest whose origin echoes it: in the body it is
// replaced, and a request for the headers alone has none.
func hideLengths(h http.Header) {
	h.Del("Content-Length")
	h.Del("Content-Range")
}

func isGzip(h http.Header) bool {
	coding := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding")))
	return len(h.Values("Content-Encoding")) == 1 && (coding == "gzip" || coding == "x-gzip")
}

var errTooLarge = errors.New("the response is larger than its limit")

// readBody reads at most limit bytes, counted after decompression.
func readBody(wire io.Reader, encoded bool, limit int64) ([]byte, error) {
	if encoded {
		// Empty blocks cost bytes on the wire and give none: those are bounded too, generously.
		counted := &bounded{r: wire, left: limit + limit/64 + 4096}
		buffered := bufio.NewReader(counted)
		if _, err := buffered.Peek(1); err == io.EOF {
			return nil, nil
		}
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, compressed(err)
		}
		body, err := io.ReadAll(&bounded{r: z, left: limit})
		return body, compressed(err)
	}
	return io.ReadAll(&bounded{r: wire, left: limit})
}

// compressed gives the errors of the decompressor a type.
func compressed(err error) error {
	if err == nil || errors.Is(err, errTooLarge) {
		return err
	}
	return &codingError{err}
}

// codingError is a body that is not what its Content-Encoding says, or a connection that ended within it.
type codingError struct{ error }

func (e *codingError) Unwrap() error { return e.error }

// bounded fails with errTooLarge at the first byte beyond its limit.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		return int(b.left), errTooLarge
	}
	b.left -= int64(n)
	return n, err
}

// responseHeaders sorts the headers, so that a guest sees the same order every time.
func responseHeaders(h http.Header) [][2]string {
	var pairs [][2]string
	for name, values := range h {
		for _, v := range values {
			pairs = append(pairs, [2]string{strings.ToLower(name), printable(v)})
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return pairs
}

// printable reads bytes that are not UTF-8 as Latin-1, which is what a header then is.
func printable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}
