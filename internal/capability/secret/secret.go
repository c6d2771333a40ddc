// Package secret resolves secrets when they are granted and holds them for the length of a run.
//
// # Trust
//
// Where secrets come from is the host's choice. Names that a guest gives reach this package only inside tickets.
// Errors name a secret and its source, never a value.
//
// # Concurrency
//
// A Store never changes once it is open.
package secret

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// maxSecretBytes bounds one secret.
const maxSecretBytes = 64 << 10

// Lookup finds a variable of the supervisor's environment: os.LookupEnv.
type Lookup func(name string) (value string, ok bool)

// Store holds the values of a run's secrets.
type Store struct{ values map[string]string }

// Open resolves every secret of g now, so that a missing one is found before the guest runs. Files must be regular and
// may hold 64 KiB; one newline at their end is not part of the secret. Errors are complete sentences for the operator.
func Open(g grants.Grants, environment Lookup) (*Store, error) {
	s := &Store{values: make(map[string]string, len(g.Secrets))}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(g.Secrets)) {
		value, err := resolve(g.Secrets[name], environment)
		if err == nil {
			err = usable(value, name, g.Network.Inject)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("secrets.%s: %w", name, err))
			continue
		}
		s.values[name] = value
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return s, nil
}

// Read gives the secret that t permits the guest to read. The error is a *capability.Failure.
func (s *Store) Read(t grants.SecretRead) (string, error) {
	if !t.Valid() {
		return "", capability.NoTicket()
	}
	value, ok := s.values[t.Name()]
	if !ok {
		return "", &capability.Failure{Code: "ENOENT", Message: "the secret is not available"}
	}
	return value, nil
}

// Value gives a secret to the supervisor itself, for an injection. It must not reach a guest.
func (s *Store) Value(name string) (string, bool) {
	value, ok := s.values[name]
	return value, ok
}

// All yields every secret, for whoever has to keep values out of logs and answers. It must not reach a guest.
func (s *Store) All() map[string]string { return maps.Clone(s.values) }

// String does not print values.
func (s *Store) String() string { return fmt.Sprintf("%d secrets", len(s.values)) }

// GoString does not print values.
func (s *Store) GoString() string { return s.String() }

func resolve(s grants.Secret, environment Lookup) (string, error) {
	switch {
	case s.FromEnv != "":
		value, ok := environment(s.FromEnv)
		if !ok {
			return "", fmt.Errorf("the environment variable %s is not set", s.FromEnv)
		}
		return value, nil
	case s.FromFile != "":
		return fromFile(s.FromFile)
	}
	return s.Value, nil
}

// fromFile never blocks on a FIFO: it looks before it reads.
func fromFile(name string) (string, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%q is not a regular file", name)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecretBytes+2))
	if err != nil {
		return "", fmt.Errorf("read %q failed", name)
	}
	value := string(text)
	if cut, ok := strings.CutSuffix(value, "\n"); ok {
		value = strings.TrimSuffix(cut, "\r")
	}
	if len(value) > maxSecretBytes {
		return "", fmt.Errorf("%q is larger than %d bytes", name, maxSecretBytes)
	}
	return value, nil
}

// usable refuses values that could not be used where the grants want them.
func usable(value, name string, inject []grants.Injection) error {
	switch {
	case value == "":
		return errors.New("the secret is empty")
	case len(value) > maxSecretBytes:
		return fmt.Errorf("the secret is larger than %d bytes", maxSecretBytes)
	case !utf8.ValidString(value):
		return errors.New("the secret is not UTF-8")
	}
	injected := slices.ContainsFunc(inject, func(in grants.Injection) bool { return in.Secret == name })
	if injected && strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 || r >= 0x7f }) {
		return errors.New("the secret is injected into a header and has a character that headers do not have")
	}
	return nil
}
