package main

// row is one line of the table.
type row struct {
	name  string
	title string
	unit  string
	// figure says what is held to the targets.
	figure     string
	reach, aim float64
	more       bool // the figure should be large
	absolute   bool // the figure is a quantity, not a ratio
	// about explains how it is measured.
	about   string
	measure func(*bench) (*measured, error)
}

var rows = []row{
	{name: "cold", title: "Cold one-shot: a one-line TypeScript file, all layers on", unit: "ms",
		figure: "to `deno run --no-prompt`", reach: 0.40, aim: 0.25, measure: cold,
		about: "Wall time of a process from fork to its reaping; the supervisor's includes the spawner, the realm, the receipt, the kill and the removal of its control groups. deno keeps its cache between runs."},
	{name: "warm", title: "Pre-started realm: Submit to result", unit: "ms",
		figure: "to a fresh isolate in a running node", reach: 1.0, aim: 0.5, measure: warm,
		about: "One line of JavaScript. Ours from `Submit` to the return of `Wait`, with realms waiting; isolated-vm from `new Isolate` to the result, its disposal not counted."},
	{name: "sustained", title: "Sustained runs, a fresh process each", unit: "runs/s",
		figure: "to deno, two at a time", reach: 2.5, aim: 4, more: true, measure: sustained,
		about: "The library with `MaxConcurrent` 4 and no waiting realms, against `deno run` processes two at a time, in alternating blocks."},
	{name: "roundtrip", title: "Capability round trip, `environment`", unit: "µs",
		figure: "to a bare socketpair", reach: 5, aim: 2, measure: roundTrip,
		about: "A guest awaits `environment` in a loop: decided, audited twice, answered. The peer is one byte there and back over a socketpair between two Go processes, blocking calls, nothing decided."},
	{name: "deadline", title: "Deadline to realm reaped, beyond the deadline", unit: "ms",
		figure: "the worst kind's p99", reach: 20, aim: 5, absolute: true, measure: deadline,
		about: "From the deadline to the return of `Wait`, when the realm has been killed, reaped and removed. A loop, an `await` that nothing settles, and a native call that answers no interrupt."},
	{name: "memory", title: "Memory of a waiting realm, pool of four", unit: "MiB",
		figure: "PSS each", reach: 16, aim: 8, absolute: true, measure: memory,
		about: "`Pss` of `smaps_rollup`: private pages, and a quarter of those that the four share."},
	{name: "read", title: "`readBytes` of 64 MiB", unit: "ms",
		figure: "pipe's time to ours", reach: 0.25, aim: 0.5, more: true, measure: read,
		about: "From the call to the Uint8Array in the guest. The peer reads the same file and writes it through a pipe to another Go process."},
	{name: "compute", title: "Guest compute, JIT on", unit: "ms",
		figure: "node's time to ours", reach: 0.85, aim: 0.95, more: true, measure: compute,
		about: "Eight kernels, the same files in node; the geometric mean of the ratios of their best times."},
	{name: "spawn", title: "A granted command: `/bin/true` in its jail", unit: "ms",
		figure: "to `bwrap --unshare-all`", measure: spawn,
		about: "From the guest's call to its answer, against bubblewrap started by a Go program. No target was set."},
}
