package main

import (
	"errors"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// calls of one sample; a guest may make a million.
const calls = 2000

const roundTripGuest = `
import { environment } from 'realm:capabilities';
export default async function (calls: number) {
  for (let i = 0; i < 200; i++) await environment('MODE');
  const start = performance.now();
  for (let i = 0; i < calls; i++) await environment('MODE');
  return (performance.now() - start) * 1000 / calls;
}`

func roundTrip(b *bench) (*measured, error) {
	s, end, err := b.supervise(supervisor.Config{})
	if err != nil {
		return nil, err
	}
	defer end()
	bare, err := startEcho()
	if err != nil {
		return nil, err
	}
	defer bare.end()
	ours, theirs := newSeries("await environment('MODE')"), newSeries("socketpair, one byte, two Go processes")
	guest := func(count bool) error {
		us, err := number(s, supervisor.Request{
			Source: roundTripGuest, Args: []any{calls},
			Grants: grants.Grants{Environment: map[string]string{"MODE": "analysis"}, Resources: grants.Resources{MaxOperations: calls + 200}},
		})
		if count && err == nil {
			ours.add(us)
		}
		return err
	}
	ping := func(count bool) error {
		us, err := bare.trips(calls)
		if count && err == nil {
			theirs.add(us)
		}
		return err
	}
	if err := pair(b.times(30), guest, ping); err != nil {
		return nil, err
	}
	return &measured{Series: []*series{ours, theirs}, Figure: ratio(ours, theirs)}, nil
}

// echo is the other end of a socketpair, in a process of its own.
type echo struct {
	cmd *exec.Cmd
	fd  int
}

func startEcho() (*echo, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "socket")
	defer theirs.Close()
	cmd := self("echo-peer")
	cmd.ExtraFiles = []*os.File{theirs}
	return &echo{cmd, fds[0]}, cmd.Start()
}

// trips is the mean of n round trips in microseconds.
func (e *echo) trips(n int) (float64, error) {
	buffer := make([]byte, 1)
	start := time.Now()
	for range n {
		if _, err := unix.Write(e.fd, buffer); err != nil {
			return 0, err
		}
		if _, err := unix.Read(e.fd, buffer); err != nil {
			return 0, err
		}
	}
	return float64(time.Since(start).Microseconds()) / float64(n), nil
}

func (e *echo) end() {
	_ = unix.Close(e.fd)
	_ = e.cmd.Wait()
}

// echoPeer sends back what comes until the end.
func echoPeer() error {
	buffer := make([]byte, 1)
	for {
		n, err := unix.Read(3, buffer)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n <= 0 || err != nil {
			return err
		}
		if _, err := unix.Write(3, buffer); err != nil {
			return err
		}
	}
}
