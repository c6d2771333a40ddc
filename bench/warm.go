package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

func warm(b *bench) (*measured, error) {
	s, end, err := b.supervise(supervisor.Config{WarmPoolSize: 2})
	if err != nil {
		return nil, err
	}
	defer end()
	isolated, err := b.startNode("isolated-vm.cjs")
	if err != nil {
		return nil, err
	}
	defer isolated.end()
	quick, err := b.startNode("quickjs.cjs")
	if err != nil {
		return nil, err
	}
	defer quick.end()
	ours, theirs, quickjs := newSeries("supervisor, pre-started"), newSeries("isolated-vm, fresh isolate"), aside("quickjs-emscripten, fresh runtime")
	submit := func(count bool) error {
		if err := waitFor(s, 2); err != nil {
			return err
		}
		start := time.Now()
		session, err := s.Submit(context.Background(), supervisor.Request{Source: "6 * 7"})
		if err != nil {
			return err
		}
		_, err = session.Wait()
		if d := time.Since(start); count && err == nil {
			ours.addTime(d)
		}
		return err
	}
	if err := pair(b.times(150), submit, isolated.into(theirs), quick.into(quickjs)); err != nil {
		return nil, err
	}
	return &measured{Series: []*series{ours, theirs, quickjs}, Figure: ratio(ours, theirs)}, nil
}

// node is a running node process that times one thing per line it is sent.
type node struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (b *bench) startNode(script string, args ...string) (*node, error) {
	path, err := filepath.Abs(filepath.Join("bench", "peers", script))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("node", append([]string{"--no-node-snapshot", path}, args...)...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+b.modules())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &node{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

// ask sends a line and reads the numbers of the answer.
func (n *node) ask(line string) ([]float64, error) {
	if _, err := fmt.Fprintln(n.in, line); err != nil {
		return nil, err
	}
	answer, err := n.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	var list []float64
	for _, field := range strings.Fields(answer) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, fmt.Errorf("node answered %q", answer)
		}
		list = append(list, v)
	}
	return list, nil
}

func (n *node) into(s *series) func(bool) error {
	return func(count bool) error {
		v, err := n.ask("6 * 7")
		if count && err == nil {
			s.add(v[0])
		}
		return err
	}
}

func (n *node) end() {
	_ = n.in.Close()
	_ = n.cmd.Wait()
}
