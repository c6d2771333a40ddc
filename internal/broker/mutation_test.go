package broker

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
)

// frames takes a stream apart. What is no whole frame is the last part.
func frames(stream []byte) (list [][]byte) {
	for len(stream) >= 4 {
		n := 4 + int(binary.BigEndian.Uint32(stream))
		if n > len(stream) {
			break
		}
		list, stream = append(list, stream[:n]), stream[n:]
	}
	if len(stream) > 0 {
		list = append(list, stream)
	}
	return list
}

// What realms say, with every mistake of one kind that can be made in it.
//
// Covers: T-RPC-01, T-RPC-02, T-RPC-03
func TestEveryMutationOfWhatRealmsSayIsContained(t *testing.T) {
	h := newHost(t)
	all := streams(t, h.root, h.outside)
	// A byte of each kind of value that the wire knows, the limits of numbers, and what makes a length four
	// megabytes, which its op may have here.
	heads := []byte{0x00, 0x40, 0x7f, 0x81, 0x90, 0x91, 0xa1, 0xc0, 0xc1, 0xc4, 0xc9, 0xcb, 0xcf, 0xd3, 0xdb, 0xdd, 0xdf, 0xff}
	for _, kind := range []struct {
		name   string
		mutate func(stream []byte, serve func([]byte))
	}{
		{"streams cut at every byte", func(stream []byte, serve func([]byte)) {
			for n := range stream {
				serve(stream[:n])
			}
		}},
		{"every byte replaced", func(stream []byte, serve func([]byte)) {
			for i := range stream {
				for _, head := range heads {
					changed := bytes.Clone(stream)
					changed[i] = head
					serve(changed)
				}
			}
		}},
		{"every byte left out", func(stream []byte, serve func([]byte)) {
			for i := range stream {
				serve(slices.Delete(bytes.Clone(stream), i, i+1))
			}
		}},
		{"a byte put in everywhere", func(stream []byte, serve func([]byte)) {
			for i := range stream {
				for _, head := range heads {
					serve(slices.Insert(bytes.Clone(stream), i, head))
				}
			}
		}},
		{"frames replayed, dropped and exchanged", func(stream []byte, serve func([]byte)) {
			parts := frames(stream)
			for i := range parts {
				serve(bytes.Join(slices.Delete(slices.Clone(parts), i, i+1), nil))
				for k := range parts {
					serve(bytes.Join(slices.Insert(slices.Clone(parts), k, parts[i]), nil))
					swapped := slices.Clone(parts)
					swapped[i], swapped[k] = swapped[k], swapped[i]
					serve(bytes.Join(swapped, nil))
				}
			}
		}},
		{"frames of other realms in between", func(stream []byte, serve func([]byte)) {
			for _, other := range all {
				for i := range frames(stream) {
					for _, foreign := range frames(other) {
						serve(bytes.Join(slices.Insert(frames(stream), i, foreign), nil))
					}
				}
			}
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			served, allocated := 0, []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
			for _, stream := range all {
				kind.mutate(stream, func(changed []byte) {
					metrics.Read(allocated[:1])
					h.serve(t, changed)
					metrics.Read(allocated[1:])
					if took := allocated[1].Value.Uint64() - allocated[0].Value.Uint64(); took > 3<<20 {
						t.Fatalf("%d bytes of memory for %x", took, changed)
					}
					served++
				})
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
				t.Errorf("the heap has grown by %d bytes", grown)
			}
			t.Logf("attacks: either protocol %s %d %d", kind.name, served, served)
		})
	}
}
