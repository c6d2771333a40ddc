// Command gen compiles the filter tables with libseccomp and writes one file of
// struct sock_filter instructions per table. The files are committed; a test
// regenerates them and compares.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"realm.internal/supervisor/internal/seccomp"
)

func main() {
	out := flag.String("out", "filters", "directory that receives the programs")
	flag.Parse()
	for _, table := range seccomp.Tables() {
		program, err := compile(table)
		if err == nil {
			err = os.WriteFile(filepath.Join(*out, fileName(table)), program, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

func fileName(table seccomp.Table) string { return table.Name + "_amd64.bpf" }
