//go:build linux && amd64 && cgo

package main

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/rpc"
)

var done = &rpc.Result{Value: rpc.Raw{0xa4, 'd', 'o', 'n', 'e'}}

// framed puts a length before payload.
func framed(payload []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))), payload...)
}

func act(w *rpc.Writer, name string) {
	switch name {
	case "behave":
		_ = w.Send(0, done)
	case "one byte at a time":
		var b bytes.Buffer
		_ = rpc.NewWriter(&b).Send(0, done)
		for _, c := range b.Bytes() {
			_, _ = out.Write([]byte{c})
		}
	case "noise":
		_, _ = out.Write(bytes.Repeat([]byte{0xde, 0xad, 0xbe, 0xef}, 1<<16))
	case "a frame of 4 GiB":
		_, _ = out.Write([]byte{0xff, 0xff, 0xff, 0xff, 0x93, 0x04, 0x00})
	case "an array of 4 billion":
		_, _ = out.Write(framed([]byte{0x93, byte(rpc.OpResult), 0, 0x92, 0, 0xdd, 0xff, 0xff, 0xff, 0xff}))
	case "a million arrays deep":
		_, _ = out.Write(framed(append([]byte{0x93, byte(rpc.OpResult), 0, 0x92, 0}, bytes.Repeat([]byte{0x91}, 1<<20)...)))
	case "a big frame that does not come": // 250 MiB, which its limit allows
		_, _ = out.Write([]byte{0x0f, 0xa0, 0, 0, 0x93, byte(rpc.OpResult), 0, 0x92})
		exit(0)
	case "closes its output and lives":
		_ = unix.Close(int(out))
	case "closes its input and goes on":
		_ = unix.Close(int(in))
		_ = w.Send(1, &rpc.Environment{Name: "A"}) // nobody can take its answer
		_ = w.Send(0, done)
	case "half a frame":
		_, _ = out.Write([]byte{0, 0, 0, 50, 0x93, byte(rpc.OpResult)})
		exit(0)
	case "an empty frame":
		_, _ = out.Write([]byte{0, 0, 0, 0})
	case "an unknown op":
		_, _ = out.Write(framed([]byte{0x93, 99, 0, 0x90}))
	case "an op of the supervisor":
		_ = w.Send(1, &rpc.Reply{OK: true, Value: rpc.Raw{0xc0}})
	case "ready again":
		_ = w.Send(0, &rpc.Ready{})
	case "a call twice":
		for range 2 {
			_ = w.Send(7, &rpc.Environment{Name: "A"})
		}
	case "two results":
		_ = w.Send(0, done)
		_ = w.Send(0, done)
	case "a result that is no value":
		_ = w.Send(0, &rpc.Result{Value: rpc.Raw{0xd4, 6, 9}}) // a reference to nothing
	case "a timeout of its own":
		_ = w.Send(0, &rpc.Failure{Code: "TIMEOUT", Phase: "run", Thrown: rpc.Raw{0xc0}})
	case "a code of its own":
		_ = w.Send(0, &rpc.Failure{Code: "INTERNAL", Phase: "run", Thrown: rpc.Raw{0xc0}})
	case "a flood of output":
		for {
			_ = w.Send(0, &rpc.Console{Level: "log", Message: "flood"})
		}
	case "a flood of calls":
		for id := uint64(1); ; id++ {
			_ = w.Send(id, &rpc.Environment{Name: "A"})
		}
	case "a flood of words":
		for range 1 << 14 {
			_, _ = fd(2).Write(make([]byte, 1<<12))
		}
		_ = w.Send(0, done)
	case "silence":
	case "memory":
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte{1}, 1<<20))
		}
	case "a status":
		exit(3)
	case "a socket":
		_, _, _ = unix.RawSyscall(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)
	case "an x32 call":
		_, _, _ = unix.RawSyscall(0x40000000|unix.SYS_GETPID, 0, 0, 0)
	case "ptrace":
		_, _, _ = unix.RawSyscall(unix.SYS_PTRACE, 16, 1, 0)
	case "a secret for last words":
		_ = w.Send(1, &rpc.Secret{Name: "S"})
		_, _ = fd(2).Write(append([]byte("my last words are "), reply().Value...))
		exit(87)
	case "a path outside":
		_ = w.Send(1, &rpc.FilesystemRead{Path: "/etc/passwd", Length: -1, Text: true})
		refused(w)
	case "a write that lies about its size":
		_ = w.Send(1, &rpc.FilesystemWrite{Path: "/etc/none", Data: make([]byte, 100), Size: 1})
		refused(w)
	}
}

// refused is done when the answer is a refusal.
func refused(w *rpc.Writer) {
	if r := reply(); r.OK || r.Error.Kind != rpc.KindDenied {
		exit(4)
	}
	_ = w.Send(0, done)
}

func reply() (r rpc.Reply) {
	f, err := rpc.NewReader(in).Next(func(rpc.Op) (int, error) { return rpc.MaxFrameBytes, nil })
	if err != nil || f.Decode(&r) != nil {
		exit(4)
	}
	return r
}
