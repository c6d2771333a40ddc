package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"realm.internal/supervisor/pkg/supervisor"
)

// clearReceipt removes the receipt of an earlier run, which would be taken for
// this one's if nothing comes to be confined, and finds out before the run what
// would keep this one's from being written.
func clearReceipt(path string) error {
	if path == "" {
		return nil
	}
	const writable = 2 // W_OK, access(2)
	err := syscall.Access(filepath.Dir(path), writable)
	info, missing := os.Stat(path)
	switch {
	case err != nil || missing != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	default:
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("--receipt %s: %w", path, err)
	}
	return nil
}

// writeReceipt writes the file at path as a whole, if there is a receipt.
func writeReceipt(path string, r *supervisor.Receipt) error {
	if path == "" || r == nil {
		return nil
	}
	if err := replaceFile(path, r); err != nil {
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
