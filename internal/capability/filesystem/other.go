//go:build !linux

package filesystem

import (
	"context"
	"errors"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// Roots cannot be opened here: beneath-only resolution needs Linux.
type Roots struct{}

// Open fails.
func Open(_, _ []string, _ Options) (*Roots, error) {
	return nil, errors.New("filesystem: granted roots need Linux")
}

// Close does nothing.
func (*Roots) Close() error { return nil }

// Read fails.
func (*Roots) Read(context.Context, grants.FileRead, Range) ([]byte, error) {
	return nil, capability.NoTicket()
}

// List fails.
func (*Roots) List(context.Context, grants.FileList) ([]Entry, error) {
	return nil, capability.NoTicket()
}

// Stat fails.
func (*Roots) Stat(context.Context, grants.FileStat) (Info, error) {
	return Info{}, capability.NoTicket()
}

// Write fails.
func (*Roots) Write(context.Context, grants.FileWrite, []byte) error { return capability.NoTicket() }

// Append fails.
func (*Roots) Append(context.Context, grants.FileWrite, []byte) error { return capability.NoTicket() }

// MakeDirectory fails.
func (*Roots) MakeDirectory(context.Context, grants.MakeDirectory) error {
	return capability.NoTicket()
}

// Remove fails.
func (*Roots) Remove(context.Context, grants.Remove) error { return capability.NoTicket() }
