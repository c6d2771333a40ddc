//go:build probe && linux

// Command native is a realm binary in which the engine is replaced by a probe:
// the spawner and the launcher are the real ones.
package main

import (
	"os"

	_ "realm.internal/supervisor/internal/launcher"
	"realm.internal/supervisor/internal/probe"
)

func main() { os.Exit(probe.Main(os.Args)) }
