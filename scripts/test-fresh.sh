#!/bin/bash
# test-fresh.sh [SUITE...]: does on a minimal system what the README tells a newcomer. For each of Debian's and Ubuntu's
# releases (bookworm noble) it makes a root file system with git, make and certificates, adds this host's Go as it is unpacked
# from go.dev, and runs scripts/fresh/guest.sh there: `make demo` and `make test` of a clone of this tree's last commit.
# Each runs in a copy and in namespaces of its own, as root; nothing of the host is written and nothing is left but
# DIR (.cache/fresh): the systems, the logs, and the caches of modules and of builds, without which a run begins from nothing.
# QUICK=1: the demo and a few tests. SHELL_INSIDE=1: a shell there instead. Go's and the proxies' variables are handed on.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${DIR:-.cache/fresh}
mkdir -p "$dir/modules"
dir=$(cd "$dir" && pwd)
[ $# -gt 0 ] || set -- bookworm noble

exec 9>"$dir/lock"
flock -n 9 || { echo "another run uses $dir" >&2; exit 1; }

inside=""
trap '[ -z "$inside" ] || kill -KILL $inside' EXIT # unshare heeds no other signal; its namespaces end with it
trap 'exit 130' INT TERM HUP

failed=""
for suite; do
	scripts/fresh/root.sh "$dir" "$suite"
	log=$dir/$suite/log run=$dir/$suite/run
	rm -rf --one-file-system "$run"
	cp -a "$dir/$suite/root" "$run"
	mkdir -p "$dir/$suite/builds"
	git bundle create -q "$run/srv/tree.bundle" HEAD
	cp scripts/fresh/guest.sh "$run/srv/"
	unshare --mount --propagation private --pid --fork --kill-child --ipc --uts \
		scripts/fresh/enter.sh "$run" "$dir/modules" "$dir/$suite/builds" <&0 9>&- > >(exec tee "$log" 9>&-) 2>&1 &
	inside=$!
	wait $inside || true
	inside=""
	rm -rf --one-file-system "$run"
	grep -q '^FRESH-RESULT pass' "$log" || failed="$failed $suite"
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
