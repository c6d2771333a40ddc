//go:build linux && amd64 && cgo

// The realm is told its size by the control group; Go must not keep files of it open.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command realm is the confined child. It is started by the supervisor only.
package main

import (
	"os"
	"runtime"

	_ "realm.internal/supervisor/internal/launcher" // two lives before this one
	"realm.internal/supervisor/internal/realm"
)

func init() { runtime.LockOSThread() }

func main() { realm.Main(os.Args[1:]) }
