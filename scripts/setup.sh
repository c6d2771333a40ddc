#!/bin/sh
# setup.sh [COMMAND...]: installs what the build needs beside Go and make: a C++ compiler and the static C library for the
# realm, libseccomp's headers for those who regenerate the filters, and the commands named, as what runs after the build
# needs them. Says the exact command where it cannot.
set -eu
cd "$(dirname "$0")/.."

# Here a Go that can fetch others, since 1.21, becomes the one of go.mod.
if ! ${GO:-go} list -m >/dev/null; then
	echo "setup: Go is missing or too old: this build needs Go $(sed -n 's/^go //p' go.mod), which any Go since 1.21 fetches: https://go.dev/dl/" >&2
	exit 1
fi

missing=""
for command in g++ pkg-config "$@"; do # each in a package of its name
	command -v "$command" >/dev/null 2>&1 || missing="$missing $command"
done
[ -e /usr/include/seccomp.h ] || missing="$missing libseccomp-dev"
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: this build needs:$missing (Debian's names). Install their counterparts with this system's package manager." >&2
	exit 1
fi
install="apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
	exec sh -c "$install"
elif sudo -n true 2>/dev/null; then
	exec sudo -n sh -c "$install"
fi
echo "setup: missing$missing. Run:  sudo sh -c '$install'" >&2
exit 1
