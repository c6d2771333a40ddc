package filesystem

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/internal/capability/roots"
	"realm.internal/supervisor/pkg/grants"
)

// Roots holds the granted directories open. Whoever opened it closes it.
type Roots struct {
	options Options

	mu    sync.RWMutex
	read  map[string]int // granted root to O_PATH descriptor
	write map[string]int
	swept map[inode]bool // directories that were looked through for abandoned temporaries
}

// Open opens every granted root. A root may be a symbolic link, which is followed once, here. Errors name the grant
// and the root: it is missing, is not a directory, lies on a pseudo file system, or would let a guest write what the
// supervisor itself depends on.
func Open(read, write []string, o Options) (*Roots, error) {
	r := &Roots{read: map[string]int{}, write: map[string]int{}, swept: map[inode]bool{}, options: o}
	within := grants.Filesystem{Read: roots.Anywhere(), Write: roots.Anywhere()}
	if o.Ceilings != nil {
		within = *o.Ceilings
	}
	for _, name := range read {
		if err := hold(r.read, "filesystem.read", name, within.Read); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	for _, name := range write {
		if err := r.holdWrite(name, within.Write); err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.sweepOnce(r.write[path.Clean(name)])
	}
	return r, nil
}

// Check says of each root why Open would refuse it. It changes nothing.
func Check(read, write, exclusions []string) error {
	r := &Roots{read: map[string]int{}, write: map[string]int{}, options: Options{Exclusions: exclusions}}
	var errs []error
	for _, name := range read {
		errs = append(errs, hold(r.read, "filesystem.read", name, roots.Anywhere()))
	}
	for _, name := range write {
		errs = append(errs, r.holdWrite(name, roots.Anywhere()))
	}
	return errors.Join(append(errs, r.Close())...)
}

// holdWrite is hold for a root that must hold none of the exclusions.
func (r *Roots) holdWrite(name string, ceilings []string) error {
	if err := hold(r.write, "filesystem.write", name, ceilings); err != nil {
		return err
	}
	if err := roots.HoldsNone(r.write[path.Clean(name)], r.options.Exclusions); err != nil {
		return fmt.Errorf("filesystem.write: root %q %w", name, err)
	}
	return nil
}

// Close closes every root.
func (r *Roots) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, set := range []map[string]int{r.read, r.write} {
		for name, fd := range set {
			errs = append(errs, unix.Close(fd))
			delete(set, name)
		}
	}
	return errors.Join(errs...)
}

// hold opens one root, beneath one of the ceilings, and keeps it in set.
func hold(set map[string]int, grant, name string, ceilings []string) error {
	name = path.Clean(name)
	if _, ok := set[name]; ok {
		return nil
	}
	if !path.IsAbs(name) {
		return fmt.Errorf("%s: root %q is not absolute", grant, name)
	}
	fd, err := roots.Open(name, ceilings, unix.O_DIRECTORY)
	switch {
	case errors.Is(err, unix.EXDEV):
		return fmt.Errorf("%s: root %q leads out of what the policy allows", grant, name)
	case errors.Is(err, unix.ENOENT):
		return fmt.Errorf("%s: root %q does not exist", grant, name)
	case errors.Is(err, unix.ENOTDIR):
		return fmt.Errorf("%s: root %q is not a directory", grant, name)
	case err != nil:
		return fmt.Errorf("%s: root %q: %w", grant, name, err)
	}
	pseudo, err := roots.Pseudo(fd)
	if err == nil && pseudo != "" {
		err = fmt.Errorf("%s: root %q lies on a pseudo file system (%s)", grant, name, pseudo)
	}
	if err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	set[name] = fd
	return nil
}

// open resolves a path beneath the root that a ticket names, without ever leaving it.
func (r *Roots) open(set map[string]int, t ticket, rel string, flags int) (int, error) {
	if !t.Valid() {
		return -1, capability.NoTicket()
	}
	r.mu.RLock() // a root that Close has closed must not be used under a number that means something else by now
	defer r.mu.RUnlock()
	root, ok := set[t.Root()]
	if !ok {
		return -1, &capability.Failure{Code: "EPERM", Message: "the root is not open", Host: fmt.Errorf("root %q", t.Root())}
	}
	return roots.Openat2(root, rel, flags, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_MAGICLINKS)
}

// reopen opens the very inode that an O_PATH descriptor holds, so that nothing can have taken its place.
func reopen(fd, flags int) (int, error) {
	for {
		opened, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), flags|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return opened, os.NewSyscallError("open", err)
		}
	}
}

// refusePseudo denies what lies on a pseudo file system: no grant allows it.
func refusePseudo(fd int, t ticket, name string) error {
	pseudo, err := roots.Pseudo(fd)
	if err != nil {
		return capability.Failed(err)
	}
	if pseudo == "" {
		return nil
	}
	return &grants.Denial{
		Capability: name,
		Target:     grants.Target(t.Path()),
		Rule:       "it lies on a pseudo file system (" + pseudo + "), which no grant opens",
	}
}

// fault translates an error of resolving a ticket's path. EXDEV is how RESOLVE_BENEATH answers a way out of the root.
func fault(err error, t ticket, name string) error {
	if err == nil {
		return nil
	}
	var failure *capability.Failure
	if errors.As(err, &failure) {
		return err
	}
	if !errors.Is(err, unix.EXDEV) {
		return capability.Failed(err)
	}
	return &grants.Denial{
		Capability: name,
		Target:     grants.Target(t.Path()),
		Rule:       "a symbolic link on the way leads out of the granted root",
		Hint:       "name the file by the path it has in a granted root; links inside a root must be relative and stay in it",
	}
}

func split(rel string) (dir, base string) {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i], rel[i+1:]
	}
	return ".", rel
}
