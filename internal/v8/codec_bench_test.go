package v8

import (
	"math"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/value"
)

// cpuSeconds is the thread's own time, so that other load does not count.
func cpuSeconds(b *testing.B) float64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		b.Fatal(err)
	}
	return float64(ts.Nano()) / 1e9
}

// BenchmarkCodec compares with JSON.stringify of the same value in the same
// realm: encode is the native side alone, cross adds decoding in Go.
func BenchmarkCodec(b *testing.B) {
	for name, js := range map[string]string{
		"records":        `Array.from({length: 8000}, (_, i) => ({id: i, name: 'user number ' + i, active: i % 2 == 0, score: i / 7, tags: ['alpha', 'beta', 'gamma'], address: {city: 'Berlin', zip: '10115'}}))`,
		"texts":          `Array.from({length: 3000}, (_, i) => ({id: 'id-' + i, title: 'Lorem ipsum dolor sit amet ' + i, body: 'consectetur adipiscing elit, sed do eiusmod tempor incididunt. '.repeat(4), n: i * 1.1, ok: true, none: null, list: [1, 2, 3]}))`,
		"a million ints": `Array.from({length: 1e6}, (_, i) => i)`,
		"strings":        `Array.from({length: 1e5}, (_, i) => 's' + i)`,
		"with an Error":  `[new Error('x'), Array.from({length: 8000}, (_, i) => ({id: i, name: 'user number ' + i, address: {city: 'Berlin'}}))]`,
	} {
		b.Run(name, func(b *testing.B) {
			g := newGuest(b)
			g.value(`globalThis.data = JSON.parse(JSON.stringify(` + js + `)); if (` + js + `[0] instanceof Error) data[0] = new Error('x')`)
			stringify, encode, cross := math.Inf(1), math.Inf(1), math.Inf(1)
			for b.Loop() {
				start := cpuSeconds(b)
				if s := g.RunFunction(`JSON.stringify(data)`, false); s != OK {
					b.Fatal(s)
				}
				stringify = min(stringify, cpuSeconds(b)-start)
				g.RunFunction(`return data`, false)
				g.Loop()
				start = cpuSeconds(b)
				wire, _, status := g.EncodeMain(1 << 30)
				if status != OK {
					b.Fatal(status)
				}
				encode = min(encode, cpuSeconds(b)-start)
				if _, err := value.Decode(wire, value.Limits{}); err != nil {
					b.Fatal(err)
				}
				cross = min(cross, cpuSeconds(b)-start)
			}
			b.ReportMetric(stringify*1000, "stringify-ms")
			b.ReportMetric(encode/stringify, "encode/stringify")
			b.ReportMetric(cross/stringify, "cross/stringify")
		})
	}
	b.Run("64 MiB of bytes", func(b *testing.B) {
		g := newGuest(b)
		g.run(`return new Uint8Array(64 << 20)`, 1<<30)
		b.SetBytes(64 << 20)
		for b.Loop() {
			if _, _, status := g.EncodeMain(1 << 30); status != OK {
				b.Fatal(status)
			}
		}
	})
}
