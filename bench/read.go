package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

const readBytes = 64 << 20

const readGuest = `
import { readBytes } from 'realm:capabilities';
export default async function (path: string, size: number) {
  const start = performance.now();
  const bytes = await readBytes(path);
  const took = performance.now() - start;
  if (bytes.length !== size || bytes[size - 1] !== 7) throw new Error('these are not the bytes');
  return took;
}`

func read(b *bench) (*measured, error) {
	dir := filepath.Join(b.work, "read")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "64MiB")
	if err := os.WriteFile(path, bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 255, 7}, readBytes/8), 0o644); err != nil {
		return nil, err
	}
	defer os.Remove(path)
	s, end, err := b.supervise(supervisor.Config{})
	if err != nil {
		return nil, err
	}
	defer end()
	ours, theirs := newSeries("await readBytes(path)"), newSeries("pipe between two Go processes")
	guest := func(count bool) error {
		ms, err := number(s, supervisor.Request{
			Source: readGuest, Args: []any{path, readBytes},
			Grants: grants.Grants{Filesystem: grants.Filesystem{Read: []string{dir}}, Resources: grants.Resources{MaxReadBytes: readBytes, RealmMemoryMb: 1024}},
		})
		if count && err == nil {
			ours.add(ms)
		}
		return err
	}
	pipe := func(count bool) error {
		ms, err := throughPipe(path)
		if count && err == nil {
			theirs.add(ms)
		}
		return err
	}
	if err := pair(b.times(15), guest, pipe); err != nil {
		return nil, err
	}
	return &measured{Series: []*series{ours, theirs}, Figure: ratio(theirs, ours)}, nil
}

// throughPipe asks another process for the file and reads it to its end.
func throughPipe(path string) (float64, error) {
	cmd := self("pipe-peer", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ready := make([]byte, 1)
	if _, err := io.ReadFull(out, ready); err != nil {
		return 0, err
	}
	start := time.Now()
	if _, err := in.Write(ready); err != nil {
		return 0, err
	}
	data := make([]byte, readBytes)
	if _, err := io.ReadFull(out, data); err != nil {
		return 0, err
	}
	took := milliseconds(time.Since(start))
	return took, cmd.Wait()
}

// pipePeer says that it is ready, waits for a byte, and sends the file.
func pipePeer() error {
	if _, err := os.Stdout.Write([]byte{1}); err != nil {
		return err
	}
	if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
		return err
	}
	data, err := os.ReadFile(os.Args[2])
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(data)
	return err
}
