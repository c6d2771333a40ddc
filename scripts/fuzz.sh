#!/bin/sh
# Runs every fuzz target of the tree in turn. `make fuzz` starts it.
#   TIME=30s     how long each target is fuzzed
#   TARGETS=RE   only the targets whose "directory Name" matches, e.g. 'pkg/rpc' or FuzzFrame
#   WORKERS=N    processes at once; as many as there are CPUs without it
#   REPORT=FILE  appends a line a target: directory, name, executions, CPU seconds
# What one finds is left in that package's testdata/fuzz, where `go test` repeats it.
set -u
cd "$(dirname "$0")/.." || exit 2
GO=${GO:-go}
TIME=${TIME:-30s}
WORKERS=${WORKERS:-$(nproc)}

# "directory FuzzName" a line; tags and the operating system are those of this build.
targets() {
    grep -rlE '^func Fuzz[A-Za-z0-9]+\(' --include='*_test.go' cmd internal pkg | sort | while read -r file; do
        sed -nE "s|^func (Fuzz[A-Za-z0-9]+)\(.*|$(dirname "$file") \1|p" "$file"
    done | grep -E -- "${TARGETS:-.}"
}

list=$(targets)
[ -n "$list" ] || { echo "no fuzz target matches $TARGETS" >&2; exit 2; }
log=$(mktemp) && cpu=$(mktemp) || exit 2
trap 'rm -f "$log" "$cpu"' EXIT
failed=
printf '%-36s %-38s %12s %9s\n' package target executions 'CPU s'
while read -r dir name; do
    status=ok
    # The reserved word `time` of bash counts what the workers used, which dash cannot.
    bash -c 'TIMEFORMAT="%U %S"; time "$@" >"$0" 2>&1' "$log" \
        "$GO" test -run='^$' -fuzz="^$name\$" -fuzztime="$TIME" -fuzzminimizetime=10s -parallel="$WORKERS" "./$dir" 2>"$cpu" || status=FAILED
    executions=$(sed -nE 's/.*execs: ([0-9]+).*/\1/p' "$log" | tail -n 1)
    seconds=$(awk '{ printf "%d", $1 + $2 }' "$cpu")
    printf '%-36s %-38s %12s %9s\n' "$dir" "$name" "${executions:-0}" "$seconds"
    [ -z "${REPORT:-}" ] || echo "$dir $name ${executions:-0} $seconds" >>"$REPORT"
    # Without an execution nothing was shown, whatever the exit status says.
    if [ "$status" != ok ] || [ "${executions:-0}" -eq 0 ]; then
        failed="$failed $dir.$name"
        cat "$log"
    fi
done <<END
$list
END
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
