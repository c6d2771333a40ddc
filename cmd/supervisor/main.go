// Command supervisor runs JavaScript and TypeScript that nobody has read, each
// source in a confined process of its own, with nothing but what was granted.
package main

import (
	"io"
	"log"
	"os"

	"realm.internal/supervisor/internal/cli"
)

func main() {
	log.SetOutput(io.Discard) // nothing here writes to it but net/http, which quotes what origins send unasked
	os.Exit(cli.Main(os.Args[1:], cli.Host{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		LookupEnv: os.LookupEnv, Exit: os.Exit,
	}))
}
