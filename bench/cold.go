package main

import "os/exec"

const oneLine = "const answer: number = 6 * 7; console.log(answer)\n"

func cold(b *bench) (*measured, error) {
	source, err := b.file("one.ts", oneLine)
	if err != nil {
		return nil, err
	}
	plain, err := b.file("one.js", "const answer = 6 * 7; console.log(answer)\n")
	if err != nil {
		return nil, err
	}
	ours, deno := newSeries("supervisor run"), newSeries("deno run --no-prompt")
	wrapped, node := aside("bwrap --unshare-all deno run"), aside("node (JavaScript)")
	contenders := []func(bool) error{
		process(ours, b.supervisor(), "run", source),
		process(deno, b.deno(), "run", "--no-prompt", source),
		process(node, "node", plain),
	}
	series := []*series{ours, deno, node}
	if _, err := exec.LookPath("bwrap"); err == nil {
		contenders = append(contenders, process(wrapped, bubblewrap(b.deno(), "run", "--no-prompt", source)...))
		series = append(series, wrapped)
	}
	if err := pair(b.times(60), contenders...); err != nil {
		return nil, err
	}
	return &measured{Series: series, Figure: ratio(ours, deno)}, nil
}
