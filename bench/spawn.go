package main

import (
	"os/exec"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

const spawnGuest = `
import { spawn } from 'realm:capabilities';
export default async function (path: string, times: number) {
  const list: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    const { code } = await spawn(path, []);
    list.push(performance.now() - start);
    if (code !== 0) throw new Error('status ' + code);
  }
  return list;
}`

func spawn(b *bench) (*measured, error) {
	s, end, err := b.supervise(supervisor.Config{})
	if err != nil {
		return nil, err
	}
	defer end()
	path, err := exec.LookPath("true")
	if err != nil {
		return nil, err
	}
	ours, theirs := newSeries("await spawn('true')"), newSeries("bwrap --unshare-all true")
	const times = 10
	guest := func(count bool) error {
		list, err := numbers(s, supervisor.Request{
			Source: spawnGuest, Args: []any{path, times},
			Grants: grants.Grants{Subprocess: grants.Subprocess{Commands: []string{path}}},
		})
		if count && err == nil {
			ours.Samples = append(ours.Samples, list...)
		}
		return err
	}
	argv := bubblewrap(path)
	wrap := func(count bool) error {
		for range times {
			start := time.Now()
			if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil {
				return err
			}
			if count {
				theirs.since(start)
			}
		}
		return nil
	}
	if err := pair(b.times(10), guest, wrap); err != nil {
		return nil, err
	}
	return &measured{Series: []*series{ours, theirs}, Figure: ratio(ours, theirs)}, nil
}
