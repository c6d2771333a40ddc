#!/bin/sh
# Installs the benchmarks' peers into a directory that git ignores, and runs the
# benchmarks: scripts/bench.sh [-rows cold,warm] [-scale 0.5]
set -eu
cd "$(dirname "$0")/.."

work=bench/.work
peers=$work/peers

say() { echo "bench: $*" >&2; }

command -v node >/dev/null && command -v npm >/dev/null || {
	say "node and npm are needed for the peers: apt-get install nodejs npm"
	exit 1
}
if ! command -v bwrap >/dev/null; then
	say "installing bubblewrap"
	apt-get install -y -qq bubblewrap >/dev/null || say "without bubblewrap its rows are left out: apt-get install bubblewrap"
fi

mkdir -p "$peers"
cat > "$peers/package.json" <<'JSON'
{
  "private": true,
  "dependencies": {"deno": "2.9.6", "isolated-vm": "5.0.4", "quickjs-emscripten": "0.32.0", "workerd": "1.20261117.1"},
  "allowScripts": {"deno": true, "isolated-vm": true, "workerd": true}
}
JSON
if ! cmp -s "$peers/package.json" "$peers/installed.json"; then
	say "installing deno, isolated-vm, quickjs-emscripten and workerd"
	# The scripts that npm 11 wants allowed fetch or build the executables of deno and workerd and isolated-vm's addon.
	(cd "$peers" && npm install --no-audit --no-fund --loglevel=error)
	cp "$peers/package.json" "$peers/installed.json"
fi

CGO_ENABLED=0 ${GO:-go} build -o "$work/bench" ./bench
exec "$work/bench" "$@"
