package seccomp

import _ "embed" // the compiled filters

//go:embed filters/realm_amd64.bpf
var realm string

//go:embed filters/realm-jitless_amd64.bpf
var realmJitless string

//go:embed filters/command_amd64.bpf
var command string
