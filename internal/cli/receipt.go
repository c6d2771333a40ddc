package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"realm.internal/supervisor/pkg/supervisor"
)

// checkReceiptPath finds out before the run what would fail after it.
func checkReceiptPath(path string) error {
	if path == "" {
		return nil
	}
	const writable = 2 // W_OK, access(2)
	err := syscall.Access(filepath.Dir(path), writable)
	if info, e := os.Stat(path); err == nil && e == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return fmt.Errorf("--receipt %s: %w", path, err)
	}
	return nil
}

// writeReceipt replaces the file at path as a whole. When no realm was confined
// there is no receipt, and one of an earlier run would be taken for this run's:
// it is removed.
func writeReceipt(path string, r *supervisor.Receipt) error {
	if path == "" {
		return nil
	}
	var err error
	if r == nil {
		if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	} else {
		err = replaceFile(path, r)
	}
	if err != nil {
		return fmt.Errorf("write receipt: %w", err)
	}
	return nil
}

func replaceFile(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".receipt-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails once it is renamed
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
