// Package build names the versions that supervisor and realm compare before anything else.
package build

// Protocol is the version of the frames between supervisor and realm. It changes whenever one of them would misread the other.
const Protocol = 1

// Version names the release of both binaries. It is in the source, so that a
// program that embeds the library is of the release whose sources it uses.
const Version = "0.1.0"
