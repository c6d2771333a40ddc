// Package build names the versions that supervisor and realm compare before anything else.
package build

// Protocol is the version of the frames between supervisor and realm. It changes whenever one of them would misread the other.
const Protocol = 1

// Version names the build of both binaries. The Makefile sets it by -X; the default marks a plain `go build`.
var Version = "dev"
