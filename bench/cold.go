package main

import "os/exec"

const oneLine = "const answer: number = 6 * 7; console.log(answer)\n"

// workerd serves what a configuration names; its test command runs a handler of that once.
const (
	workerdConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .once)]);
const once :Workerd.Worker = (modules = [(name = "once.js", esModule = embed "once.js")], compatibilityDate = "2025-01-01");
`
	workerdModule = "export default { test() { const answer = 6 * 7; console.log(answer) } }\n"
)

func cold(b *bench) (*measured, error) {
	source, err := b.file("one.ts", oneLine)
	if err != nil {
		return nil, err
	}
	plain, err := b.file("one.js", "const answer = 6 * 7; console.log(answer)\n")
	if err != nil {
		return nil, err
	}
	if _, err := b.file("once.js", workerdModule); err != nil {
		return nil, err
	}
	config, err := b.file("once.capnp", workerdConfig)
	if err != nil {
		return nil, err
	}
	ours, deno := newSeries("supervisor run"), newSeries("deno run --no-prompt")
	wrapped, node, workerd := aside("bwrap --unshare-all deno run"), aside("node (JavaScript)"), aside("workerd test (JavaScript)")
	contenders := []func(bool) error{
		process(ours, b.supervisor(), "run", source),
		process(deno, b.deno(), "run", "--no-prompt", source),
		process(node, "node", plain),
		process(workerd, b.workerd(), "test", config),
	}
	series := []*series{ours, deno, node, workerd}
	if _, err := exec.LookPath("bwrap"); err == nil {
		contenders = append(contenders, process(wrapped, bubblewrap(b.deno(), "run", "--no-prompt", source)...))
		series = append(series, wrapped)
	}
	if err := pair(b.times(60), contenders...); err != nil {
		return nil, err
	}
	return &measured{Series: series, Figure: ratio(ours, deno)}, nil
}
