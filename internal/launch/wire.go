//go:build linux

package launch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// The messages of internal/launcher/protocol.h, in host byte order (amd64).
const (
	launcherProtocol = 3
	launcherMagic    = 0x6d6c6572

	maxDonated = 64
)

// MaxMessageBytes bounds what a launcher is told: arguments, environment and mounts together.
const MaxMessageBytes = 192 << 10

const (
	msgHello uint32 = iota + 1
	msgSpawn
	msgSpawned
	msgFailed
	msgExited
	msgGuardFile
	msgGuardGroups
	msgUnguard
	msgKill
)

const (
	flagLandlock = 1 << 0
	flagLeaf     = 1 << 1
)

const (
	mountWritable = 1 << iota
	mountMapOwner
	mountOptional
	mountSymlink
	mountContent
)

// The fixed parts, field for field.
type (
	wireHello struct {
		Type, Magic, Protocol, Root uint32
		Landlock                    int32
		Lacks                       [60]byte
	}
	wireSpawn struct {
		Type, ID, Kind, Flags                                                 uint32
		OOMScore                                                              int32
		Tasks, Files, Limits, Mounts, Filter, Args, Env, Executes, InsideUser uint32
		TmpBytes, Device, Inode                                               uint64
	}
	wireSpawned struct{ Type, ID, PID, UID uint32 }
	wireFailed  struct {
		Type, ID      uint32
		Errno, Status int32
		Layer         [24]byte
		Step          [48]byte
		Object        [200]byte
	}
	wireExited struct {
		Type, ID  uint32
		Status    int32
		_         uint32
		CPUMicros uint64
		MaxRSSKiB uint64
	}
)

var errShortMessage = errors.New("short message from the spawner")

// decode reads one of the fixed messages. They are few and rare; binary.Decode
// costs about a microsecond.
func decode[T any](message []byte) (T, error) {
	var v T
	if _, err := binary.Decode(message, binary.NativeEndian, &v); err != nil {
		return v, errShortMessage
	}
	return v, nil
}

func text(field []byte) string {
	field, _, _ = bytes.Cut(field, []byte{0})
	return string(field)
}

// encoder builds a request. Strings that hold a NUL would end early: an error.
type encoder struct {
	bytes []byte
	err   error
}

func (e *encoder) u32(v uint32) { e.bytes = binary.NativeEndian.AppendUint32(e.bytes, v) }
func (e *encoder) u64(v uint64) { e.bytes = binary.NativeEndian.AppendUint64(e.bytes, v) }

func (e *encoder) str(s string) {
	for i := range len(s) {
		if s[i] == 0 {
			e.err = fmt.Errorf("%.60q holds a NUL byte", s)
		}
	}
	e.bytes = append(append(e.bytes, s...), 0)
}

func (e *encoder) head(v any) {
	e.bytes, e.err = binary.Append(e.bytes, binary.NativeEndian, v)
}

func (e *encoder) message() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	if len(e.bytes) > MaxMessageBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrSpecTooLarge, len(e.bytes), MaxMessageBytes)
	}
	return e.bytes, nil
}

// encodeSpawn lays a Spec out as struct spawn and what follows it.
func encodeSpawn(id uint32, spec *Spec, root bool, tasks int, leaf bool) ([]byte, error) {
	limits := spec.Limits.list(spec.Kind)
	head := wireSpawn{
		Type: msgSpawn, ID: id, Kind: uint32(spec.Kind), OOMScore: 1000,
		Tasks: uint32(tasks), Files: uint32(len(spec.Files)), Limits: uint32(len(limits)),
		Args: uint32(len(spec.Args)), Env: uint32(len(spec.Env)), InsideUser: InsideUID,
	}
	if spec.Landlock {
		head.Flags |= flagLandlock
	}
	if leaf {
		head.Flags |= flagLeaf
	}
	program := spec.Program
	if program == nil {
		program = &Program{}
	}
	head.Mounts, head.Executes = uint32(len(program.Mounts)), uint32(len(program.Execute))
	head.Filter = uint32(len(program.Seccomp) / 8)
	head.TmpBytes, head.Device, head.Inode = uint64(program.tmpBytes()), program.Device, program.Inode

	e := encoder{bytes: make([]byte, 0, 2048+len(program.Seccomp))}
	e.head(&head)
	for _, l := range limits {
		e.u32(uint32(l.resource))
		e.u32(0)
		e.u64(l.value)
	}
	for _, m := range program.Mounts {
		e.u32(m.flags(root))
		e.u32(0)
		e.u64(m.Device)
		e.u64(m.Inode)
	}
	e.bytes = append(e.bytes, program.Seccomp...)
	for _, list := range [][]string{spec.Args, spec.Env} {
		for _, s := range list {
			e.str(s)
		}
	}
	for _, m := range program.Mounts {
		e.str(m.source())
		e.str(m.Target)
	}
	for _, path := range program.Execute {
		e.str(path)
	}
	e.str(program.Path)
	e.str(program.Dir)
	return e.message()
}

// encodeGuard lays out struct guard and its strings.
func encodeGuard(kind, id uint32, list ...string) ([]byte, error) {
	var e encoder
	for _, v := range []uint32{kind, id, uint32(len(list)), 0} {
		e.u32(v)
	}
	for _, s := range list {
		e.str(s)
	}
	return e.message()
}
