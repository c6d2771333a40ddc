package v8

import "embed"

// The build compiles native.cc alone and would not notice a change of what that includes: naming the files here makes
// them inputs. Nothing refers to the variable, so the linker leaves it out.
//
//go:embed *.cc
var _ embed.FS
