// Command supervisor runs JavaScript and TypeScript that nobody has read, each
// source in a confined process of its own, with nothing but what was granted.
package main

import (
	"os"

	"realm.internal/supervisor/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Host{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		LookupEnv: os.LookupEnv, Exit: os.Exit,
	}))
}
