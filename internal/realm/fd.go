//go:build linux

package realm

import "golang.org/x/sys/unix"

// The descriptors that the launcher leaves.
const (
	fdIn      = 3
	fdOut     = 4
	fdControl = 5
)

// fd reads a blocking descriptor without Go's poller.
type fd int

func (f fd) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(f), b)
		if err == unix.EINTR {
			continue
		}
		if n == 0 && err == nil {
			return 0, errGone
		}
		return max(n, 0), err
	}
}
