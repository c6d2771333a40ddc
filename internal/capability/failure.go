// Package capability holds what the executors of its subpackages have in common.
//
// # Trust
//
// Executors run in the supervisor with its privileges. They act on tickets of package grants, never on names that a
// guest gave, and they tell a guest nothing about the host beyond what its grant covers.
//
// # Concurrency
//
// A Failure is a value that nobody changes.
package capability

import (
	"errors"
	"syscall"
)

// Failure is an operation that was allowed and then did not succeed. The guest sees it as a SandboxOperationError.
type Failure struct {
	Code    string // "ENOENT", "ECONNREFUSED"
	Message string // fit for the guest: no host paths
	Host    error  // the cause as the host knows it, for the audit log alone; may be nil
}

// Error is the code and the guest's message.
func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// Unwrap is the host's cause.
func (f *Failure) Unwrap() error { return f.Host }

// ErrTicket is the host's cause of an operation that came without a ticket: a fault of the supervisor.
var ErrTicket = errors.New("operation without a ticket")

// NoTicket is the failure of an operation that nobody decided about.
func NoTicket() error {
	return &Failure{Code: "EPERM", Message: "the operation was not decided about", Host: ErrTicket}
}

// errnoNames are the errors that a guest may meet, by the name it knows them under.
var errnoNames = [...]struct {
	errno   syscall.Errno
	name    string
	message string
}{
	{syscall.ENOENT, "ENOENT", "no such file or directory"},
	{syscall.EEXIST, "EEXIST", "it exists already"},
	{syscall.ENOTDIR, "ENOTDIR", "a part of the path is not a directory"},
	{syscall.EISDIR, "EISDIR", "it is a directory"},
	{syscall.ENOTEMPTY, "ENOTEMPTY", "the directory is not empty"},
	{syscall.EACCES, "EACCES", "the host's file permissions refuse it"},
	{syscall.EPERM, "EPERM", "the host refuses it"},
	{syscall.EROFS, "EROFS", "the file system is read-only"},
	{syscall.ENOSPC, "ENOSPC", "no space left on the device"},
	{syscall.EDQUOT, "EDQUOT", "the disk quota is exceeded"},
	{syscall.EFBIG, "EFBIG", "the file would be too large"},
	{syscall.ENAMETOOLONG, "ENAMETOOLONG", "a part of the path is too long"},
	{syscall.ELOOP, "ELOOP", "too many symbolic links"},
	{syscall.EINVAL, "EINVAL", "the host does not know how"},
	{syscall.EBUSY, "EBUSY", "it is in use"},
	{syscall.EAGAIN, "EAGAIN", "it changed while it was used; try again"},
	{syscall.ENXIO, "ENXIO", "it cannot be opened"},
	{syscall.EMFILE, "EMFILE", "the host has no descriptors left"},
	{syscall.ENFILE, "ENFILE", "the host has no descriptors left"},
	{syscall.ENOMEM, "ENOMEM", "the host has no memory left"},
	{syscall.EIO, "EIO", "the device failed"},
}

// Failed turns an error of the host into a failure: the errno's name where a guest may know it, EIO otherwise.
func Failed(host error) *Failure {
	var errno syscall.Errno
	if errors.As(host, &errno) {
		for _, known := range errnoNames {
			if known.errno == errno {
				return &Failure{Code: known.name, Message: known.message, Host: host}
			}
		}
	}
	return &Failure{Code: "EIO", Message: "the host could not do it", Host: host}
}
