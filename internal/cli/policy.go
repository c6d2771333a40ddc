package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/policy"
)

func (a *app) loadPolicy(path string) (*policy.Policy, error) {
	text, err := a.readPolicy(path)
	if err != nil {
		return nil, err
	}
	p, err := policy.Load(bytes.NewReader(text))
	if err != nil {
		return nil, documentError("policy", path, err)
	}
	return p, nil
}

func (a *app) readPolicy(path string) ([]byte, error) {
	if path == "-" {
		return a.readDocument(path, policy.Trusted)
	}
	file, err := policy.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxDocumentBytes+1))
	if err != nil {
		return nil, fileError(path, err)
	}
	return text, nil
}

// documentError puts the file's name before each of an error's lines.
func documentError(kind, path string, err error) error {
	at := kind + " " + called(path) + ": "
	return errors.New(at + strings.ReplaceAll(err.Error(), "\n", "\n"+at))
}

// sinks opens where records go: --audit and the policy's own.
func (a *app) sinks(path string, p *policy.Policy) (audit.Sink, error) {
	var paths []string
	if path != "" {
		paths = append(paths, path)
	}
	if p != nil {
		for _, s := range p.Audit {
			if s.Stderr {
				s.File = "-"
			}
			if !slices.Contains(paths, s.File) {
				paths = append(paths, s.File)
			}
		}
	}
	var open []audit.Sink
	for _, path := range paths {
		s, err := a.openSink(path)
		if err != nil {
			for _, s := range open {
				a.fault(s.Close())
			}
			return nil, err
		}
		open = append(open, s)
	}
	if len(open) == 0 {
		return nil, nil
	}
	return audit.Tee(open[0], open[1:]...), nil
}

func (a *app) openSink(path string) (audit.Sink, error) {
	if path == "-" {
		a.err.records, a.err.guard = true, true
		return audit.NewWriter(a.Err), nil
	}
	s, err := audit.OpenFile(path, audit.FileOptions{})
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	return s, nil
}
