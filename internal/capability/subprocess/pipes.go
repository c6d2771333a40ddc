//go:build linux

package subprocess

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/launch"
)

// drainTime bounds the reading of pipes whose command is dead. Its end closes them, unless it gave them to somebody
// through a socket in a granted directory.
// On a busy host the readers may have to wait for a processor.
const drainTime = 10 * time.Second

// pipes are the standard streams of one command: ours never block a thread, its own are as programs expect them.
type pipes struct {
	stdin, stdout, stderr *os.File // our ends
	inside                [3]*os.File
}

func openPipes() (*pipes, error) {
	p := &pipes{}
	for i, ours := range []**os.File{&p.stdin, &p.stdout, &p.stderr} {
		var fds [2]int
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			p.close()
			return nil, os.NewSyscallError("pipe2", err)
		}
		our, their := fds[0], fds[1]
		if i == 0 {
			our, their = their, our
		}
		err := unix.SetNonblock(our, true)
		*ours, p.inside[i] = os.NewFile(uintptr(our), "pipe"), os.NewFile(uintptr(their), "pipe")
		if err != nil {
			p.close()
			return nil, os.NewSyscallError("fcntl", err)
		}
	}
	return p, nil
}

// theirs are the command's ends.
func (p *pipes) theirs() []*os.File { return p.inside[:] }

// donated closes the command's ends here: they have been passed on.
func (p *pipes) donated() {
	for i, f := range p.inside {
		if f != nil {
			f.Close()
		}
		p.inside[i] = nil
	}
}

func (p *pipes) close() {
	p.donated()
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			f.Close() // a second close does nothing
		}
	}
}

// output is what a command wrote.
type output struct {
	stdout, stderr []byte
	exceeded       bool
	cut            bool // a stream was not read to its end
}

// exchange feeds stdin and collects the output until the process is dead and all that it wrote was read. The process
// is killed when ctx ends or when it writes more than limit bytes to both streams together.
func (p *pipes) exchange(ctx context.Context, process *launch.Process, stdin []byte, limit int64) output {
	kill := context.AfterFunc(ctx, func() { _ = process.Kill() })
	defer kill()

	var streams, feeding sync.WaitGroup
	feeding.Go(func() {
		_, _ = p.stdin.Write(stdin) // EPIPE: the command does not want it
		p.stdin.Close()
	})
	budget := &budget{exhausted: func() { _ = process.Kill() }}
	budget.left.Store(limit)
	var out output
	var cut [2]bool
	streams.Go(func() { out.stdout, cut[0] = collect(p.stdout, budget) })
	streams.Go(func() { out.stderr, cut[1] = collect(p.stderr, budget) })

	<-process.Done()
	end := time.Now().Add(drainTime)
	_ = p.stdout.SetReadDeadline(end)
	_ = p.stderr.SetReadDeadline(end)
	_ = p.stdin.SetWriteDeadline(time.Now())
	streams.Wait()
	feeding.Wait()
	out.exceeded, out.cut = budget.left.Load() < 0, cut[0] || cut[1]
	return out
}

// budget is shared by the two output streams.
type budget struct {
	left      atomic.Int64
	exhausted func()
}

// collect reads a stream to its end, or to the end of the budget; cut says that neither was reached in time.
func collect(r io.Reader, b *budget) (all []byte, cut bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := r.Read(buffer)
		if n > 0 && b.left.Add(-int64(n)) < 0 {
			b.exhausted()
			return nil, false
		}
		all = append(all, buffer[:n]...)
		if err != nil {
			return all, errors.Is(err, os.ErrDeadlineExceeded)
		}
	}
}

var errTimeout = errors.New("the command ran longer than its timeoutMs")
