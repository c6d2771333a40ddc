package capability

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestFailuresNameTheErrnoAndNotTheHost(t *testing.T) {
	for _, c := range []struct {
		host error
		code string
	}{
		{syscall.ENOENT, "ENOENT"}, {os.NewSyscallError("openat2", syscall.EACCES), "EACCES"}, {&fs.PathError{Op: "open", Path: "/host/path", Err: syscall.ENOSPC}, "ENOSPC"},
		{syscall.ECHILD, "EIO"}, {errors.New("/host/path: broken"), "EIO"},
	} {
		f := Failed(c.host)
		if f.Code != c.code || strings.Contains(f.Error(), "/host") || !errors.Is(f, c.host) {
			t.Errorf("%v became %v", c.host, f)
		}
	}
}
