package confine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/internal/layer"
	"realm.internal/supervisor/internal/seccomp"
	"realm.internal/supervisor/pkg/rpc"
)

// startTimeout bounds the time from clone to ready. A loaded host needs much
// more than the usual ten milliseconds; one that needs more than this is starved.
const startTimeout = 20 * time.Second

// maxReadyBytes is the largest first message.
const maxReadyBytes = 4096

// Spec is what a realm needs to know before its engine starts.
type Spec struct {
	HeapMb      int64
	MemoryBytes int64 // of the whole realm
	Pids        int64
	JIT         bool
	Locale      string // BCP 47
	TimeZone    string
}

// Realm is a confined process that waits for its source.
type Realm struct {
	Reader  *rpc.Reader
	Writer  *rpc.Writer
	Ready   rpc.Ready
	Receipt *launch.Receipt
	Spec    Spec
	// Digest is the SHA-256 of its binary, see launch.Spawner.
	Digest func() (string, error)

	out, in, control *os.File // from the realm, to the realm, to its control thread
	stderr           *tail
	process          *launch.Process
	group            *cgroup.Group
	waived           []string // see Host
	ended            bool
}

// Start launches a realm, waits until it is ready, and reads back what confines
// it. The error is a *launch.Unenforceable, a *launch.NotReady where the host took
// too long, or says how the realm failed; nothing is left of it then.
func (h *Host) Start(ctx context.Context, spec Spec) (*Realm, error) {
	ctx, cancel := context.WithTimeout(ctx, h.cfg.StartTimeout)
	defer cancel()
	r, err := h.startOnce(ctx, spec)
	if errors.Is(err, launch.ErrSpawnerDead) { // since the last time: there will be another
		r, err = h.startOnce(ctx, spec)
	}
	return r, err
}

func (h *Host) startOnce(ctx context.Context, spec Spec) (*Realm, error) {
	r := &Realm{Spec: spec, waived: h.waived}
	if err := r.start(ctx, h); err != nil {
		r.End()
		var unusable *launch.BinaryError
		if errors.As(err, &unusable) && unusable.Path == "" { // found out by what it said
			unusable.Path = h.cfg.RealmPath
		}
		return nil, err
	}
	return r, nil
}

func (r *Realm) start(ctx context.Context, h *Host) (err error) {
	// Group and pipes come first: the spawner may still be starting.
	name := "realm-" + strconv.FormatUint(h.serial.Add(1), 10)
	if r.group, err = h.groups.Create(name, h.limits(r.Spec.MemoryBytes, r.Spec.Pids)); err != nil {
		return err
	}
	files, err := r.pipes()
	if err != nil {
		return err
	}
	err = r.launch(ctx, h, files)
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return err
	}
	examined := r.process.Examine() // while the engine starts
	if err := r.handshake(ctx); errors.Is(err, context.DeadlineExceeded) {
		return &launch.NotReady{Step: "the start of the engine", After: h.cfg.StartTimeout, Err: err}
	} else if err != nil {
		return err
	}
	if examined != nil {
		return examined
	}
	if r.Receipt, err = r.process.Receipt(); err != nil {
		return err
	}
	r.tellWaived()
	to, err := newPipe(r.in) // not earlier: nothing can be said to what is not known to be confined
	if err != nil {
		return err
	}
	r.Writer = rpc.NewWriter(to)
	return nil
}

// tellWaived says of layers that were not asked for why not.
func (r *Realm) tellWaived() {
	for _, l := range r.waived {
		r.Receipt.Layers[l] = launch.LayerState{State: launch.NotEnforced, Detail: "allowed to be missing by the operator"}
	}
}

func (r *Realm) launch(ctx context.Context, h *Host, files []*os.File) error {
	spawner, err := h.live()
	if err != nil {
		return err
	}
	r.Digest = spawner.Digest
	r.process, err = spawner.Spawn(ctx, launch.Spec{
		Kind: launch.Realm, Args: r.args(), Env: r.env(), Files: files,
		Group: r.group, Landlock: h.Landlock(),
	})
	switch {
	case errors.Is(err, launch.ErrSpawnerDead):
		<-spawner.Dead()
	case errors.Is(err, context.DeadlineExceeded):
		return &launch.NotReady{Step: "the launch up to the realm's first instruction", After: h.cfg.StartTimeout, Err: err}
	}
	return err
}

func (r *Realm) args() []string {
	args := []string{"realm",
		"--protocol=" + strconv.Itoa(build.Protocol), "--build=" + build.Version,
		"--heap-mb=" + strconv.FormatInt(r.Spec.HeapMb, 10),
		"--locale=" + r.Spec.Locale, "--time-zone=" + r.Spec.TimeZone}
	if !r.Spec.JIT {
		args = append(args, "--jitless")
	}
	return args
}

func (r *Realm) env() []string {
	return []string{"LC_ALL=" + posixLocale(r.Spec.Locale), "TZ=" + r.Spec.TimeZone}
}

// pipes makes the realm's descriptors 0 to 5. Its ends block, ours do not.
func (r *Realm) pipes() (files []*os.File, err error) {
	files = make([]*os.File, 6)
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
		}
	}()
	var stderr *os.File
	for _, p := range []struct {
		ours     **os.File
		theirs   int
		weWrite  bool
		capacity int
	}{{&stderr, 2, false, 0}, {&r.in, 3, true, pipeBytes}, {&r.out, 4, false, pipeBytes}, {&r.control, 5, true, 0}} {
		var fds [2]int
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			return files, fmt.Errorf("make a pipe for the realm: %w", err)
		}
		ours, theirs := fds[0], fds[1]
		if p.weWrite {
			ours, theirs = theirs, ours
		}
		if p.capacity > 0 {
			_, _ = unix.FcntlInt(uintptr(ours), unix.F_SETPIPE_SZ, p.capacity) // a smaller pipe is only slower
		}
		files[p.theirs] = os.NewFile(uintptr(theirs), "realm pipe")
		if err := unix.SetNonblock(ours, true); err != nil {
			_ = unix.Close(ours)
			return files, err
		}
		*p.ours = os.NewFile(uintptr(ours), "realm pipe")
	}
	r.stderr = readTail(stderr)
	from, err := newPipe(r.out)
	if err != nil {
		return files, err
	}
	r.Reader = rpc.NewReader(from)
	return files, nil
}

// pipeBytes is the capacity of the message pipes.
const pipeBytes = 256 << 10

func (r *Realm) handshake(ctx context.Context) error {
	deadline, _ := ctx.Deadline()
	_ = r.out.SetReadDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { _ = r.out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	f, err := r.Reader.Next(func(op rpc.Op) (int, error) {
		if op != rpc.OpReady {
			return 0, fmt.Errorf("the realm sent %s before it was ready", op)
		}
		return maxReadyBytes, nil
	})
	if err == nil {
		err = f.Decode(&r.Ready)
	}
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) { // ctx has none later than this
			<-ctx.Done()
			return ctx.Err()
		}
		return r.notReady(err)
	}
	_ = r.out.SetReadDeadline(time.Time{})
	if r.Ready.Protocol != build.Protocol || r.Ready.Build != build.Version {
		return &launch.BinaryError{Problem: launch.BinaryWrongVersion,
			Detail: fmt.Sprintf("realm has protocol %d build %q, supervisor protocol %d build %q", r.Ready.Protocol, r.Ready.Build, build.Protocol, build.Version)}
	}
	if want := seccomp.SHA256(seccomp.Realm(!r.Spec.JIT)); r.Ready.SeccompSHA256 != want {
		return &launch.Unenforceable{Layer: layer.Seccomp, Detail: fmt.Sprintf("the realm loaded filter %.12q, expected %.12s", r.Ready.SeccompSHA256, want), Fix: "install supervisor and realm of one build"}
	}
	return nil
}

// LimitError says that a realm cannot even start within a limit.
type LimitError struct {
	Limit string // its key in a grants document
	Value int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s is %d, which is too little for a realm to start", e.Limit, e.Value)
}

// notReady explains a realm that ended before it was ready.
func (r *Realm) notReady(cause error) error {
	_ = r.process.Kill()
	exit := r.process.Wait()
	text := r.stderr.String()
	switch exit.Code {
	case exitUsage:
		return &launch.BinaryError{Problem: launch.BinaryWrongVersion, Detail: text, Err: cause}
	case exitSetup:
		return &launch.Unenforceable{Layer: layer.Seccomp, Detail: text, Fix: "use a kernel built with CONFIG_SECCOMP_FILTER, or allow seccomp in the surrounding container's profile", Err: cause}
	}
	if s, err := r.group.Stats(); err == nil && s.OOMKills > 0 {
		return &LimitError{Limit: "realmMemoryMb", Value: r.Spec.MemoryBytes >> 20}
	}
	if n, err := r.group.PidsRefused(); err == nil && n > 0 {
		return &LimitError{Limit: "maxPids", Value: r.Spec.Pids}
	}
	return fmt.Errorf("the realm ended before it was ready (%s): %w: %q", describe(exit), cause, text)
}

// Interrupt tells the realm's control thread to stop the guest: 'T' for a
// limit, 'A' for an abort.
func (r *Realm) Interrupt(reason byte) { _, _ = r.control.Write([]byte{reason}) }

// Heard reports whether the control thread has read what it was told. On a busy
// host it may have to wait for a processor while the guest has one.
func (r *Realm) Heard() bool {
	unread := 0
	conn, err := r.control.SyscallConn()
	if err == nil {
		_ = conn.Control(func(fd uintptr) { unread, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	}
	return err != nil || unread == 0
}

// Kill ends the realm at once.
func (r *Realm) Kill() {
	if r.process != nil {
		_ = r.process.Kill()
	}
}

// PID is the realm's on this host.
func (r *Realm) PID() int { return r.process.PID() }

// Done is closed when the realm has ended.
func (r *Realm) Done() <-chan struct{} { return r.process.Done() }

// SetReadDeadline bounds reads from the realm.
func (r *Realm) SetReadDeadline(t time.Time) error { return r.out.SetReadDeadline(t) }

// CPUTime is what the realm's process has used so far; it can have no children.
// It is read from the process's CPU clock, whose id is made from its pid
// (clock_getcpuclockid(3)).
func (r *Realm) CPUTime() (time.Duration, error) {
	const processClock = 2 // CPUCLOCK_SCHED of a whole process
	var ts unix.Timespec
	id := int32(^r.process.PID())<<3 | processClock
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}

// SetMemory changes the memory limit of a realm that waits, and reads it back.
func (r *Realm) SetMemory(bytes int64) error {
	if err := r.group.SetMemory(bytes); err != nil {
		return err
	}
	if err := r.process.ReadGroup(r.Receipt); err != nil {
		return err
	}
	r.tellWaived()
	r.Spec.MemoryBytes = bytes
	return nil
}
