package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

const document = "docs/SECURITY-EVIDENCE.md"

func main() {
	status, err := attack()
	if err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		status = 2
	}
	os.Exit(status)
}

func attack() (int, error) {
	if os.Geteuid() != 0 {
		return 0, fmt.Errorf("run it as root: the same attacks are run as an ordinary user as well")
	}
	dir, err := os.MkdirTemp("", "evidence")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	c := &collection{}
	for _, s := range steps(dir) {
		began := time.Now()
		if err := c.run(s); err != nil {
			return 0, fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", s.name, time.Since(began).Round(time.Second))
	}
	r := summarise(c)
	fmt.Print(r.terminal())
	if err := os.WriteFile(document, []byte(r.markdown()), 0o644); err != nil {
		return 0, err
	}
	if len(r.problems) > 0 {
		fmt.Fprintf(os.Stderr, "%s\nnot contained, failed or not run:\n  %s\n", c.output.String(), strings.Join(r.problems, "\n  "))
		return 1, nil
	}
	return 0, nil
}
