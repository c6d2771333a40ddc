package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
)

func main() {
	if len(os.Args) > 1 && helpers[os.Args[1]] != nil {
		check(helpers[os.Args[1]]())
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	b := bench{}
	flag.StringVar(&b.bin, "bin", "bin", "directory of supervisor and realm")
	flag.StringVar(&b.work, "work", "bench/.work", "directory for peers, inputs and figures")
	flag.StringVar(&b.docs, "docs", "docs", "where BENCHMARKS.md and plots go")
	flag.Float64Var(&b.scale, "scale", 1, "multiplies the number of repetitions")
	only := flag.String("rows", "", "measure only these rows (comma-separated names); the others keep their last figures")
	profile := flag.String("profile", "", "write a CPU profile of this process, the library's side, to this file")
	write := flag.Bool("write", true, "write the report")
	flag.Parse()
	if err := b.open(); err != nil {
		return err
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for _, r := range rows {
		if *only != "" && !strings.Contains(","+*only+",", ","+r.name+",") {
			continue
		}
		fmt.Fprintf(os.Stderr, "%-10s %s\n", r.name, r.title)
		m, err := r.measure(&b)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		m.judge(r)
		fmt.Fprintf(os.Stderr, "%-10s %s\n", "", m.summary(r))
		if err := b.keep(r.name, m); err != nil {
			return err
		}
	}
	if !*write {
		return nil
	}
	return b.report()
}

// bench is what every row needs to know.
type bench struct {
	bin, work, docs string
	scale           float64
	kept            map[string]*measured
}

func (b *bench) open() error {
	for _, dir := range []*string{&b.bin, &b.work, &b.docs} {
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		*dir = abs
	}
	if err := os.MkdirAll(b.work, 0o755); err != nil {
		return err
	}
	if err := os.Setenv("SUPERVISOR_REALM", b.realm()); err != nil {
		return err
	}
	return b.load()
}

func (b *bench) supervisor() string { return filepath.Join(b.bin, "supervisor") }
func (b *bench) realm() string      { return filepath.Join(b.bin, "realm") }
func (b *bench) modules() string    { return filepath.Join(b.work, "peers", "node_modules") }
func (b *bench) deno() string       { return filepath.Join(b.modules(), "deno", "deno") }
func (b *bench) workerd() string    { return filepath.Join(b.modules(), "workerd", "bin", "workerd") }

// times scales a number of repetitions.
func (b *bench) times(n int) int { return max(2, int(float64(n)*b.scale)) }

// file writes an input file and returns its path.
func (b *bench) file(name, content string) (string, error) {
	path := filepath.Join(b.work, name)
	return path, os.WriteFile(path, []byte(content), 0o644)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
