#!/bin/sh
# The demonstration behind `make demo`: a program that nobody has read works on this
# host's real package database, first with a grant and then without one.
set -eu
cd "$(dirname "$0")/.."
supervisor=${SUPERVISOR_BIN:-bin}/supervisor
export NO_COLOR=1

database=/var/lib/dpkg
[ -r "$database/status" ] || database=$PWD/examples/data/dpkg
work=$(mktemp -d "${TMPDIR:-/tmp}/supervisor-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/report"

say() { printf '\n%s\n' "$*"; }
show() { printf '\n    $ %s\n\n' "$*"; }
indent() { sed 's/^/    /'; }

# run ARG...: the supervisor with its output indented; its exit status is kept in $status.
run() {
    show "supervisor run $*"
    status=0
    "$supervisor" run --audit "$work/audit.log" "$@" >"$work/out" 2>&1 || status=$?
    indent <"$work/out"
    printf '\n    exit status %s\n' "$status"
}

# expect STATUS
expect() { [ "$status" -eq "$1" ] || { say "demo failed: expected exit status $1"; exit 1; }; }

if ! "$supervisor" doctor >"$work/doctor" 2>&1; then
    say "The binaries are built. This host, for this user, lacks what every run requires, so that nothing
can be shown: below each line that says MISSING is what provides it."
    indent <"$work/doctor"
    exit 1
fi

say "1. With grants. examples/packages.ts is TypeScript that may be hostile. It runs in a
process that cannot open files, use the network or start programs. What it needs it asks
the supervisor for, and two grants say what it may have: reading beneath $database,
and writing beneath a fresh directory."
chmod go-w examples/packages.grants.yaml 2>/dev/null || : # a checkout under umask 002 lets a group write it, and such grants are refused
run --grants examples/packages.grants.yaml --read "$database" --write "$work/report" \
    examples/packages.ts -- "$database" "$work/report"
expect 0

say "The report that it wrote there through the supervisor, packages.json, begins:"
head -n 12 "$work/report/packages.json" | indent

say "2. Without the grant to read. The same source asks for the same file. The supervisor
refuses, the program ends with the refusal, and exit status 4 means DENIED."
rm "$work/report/packages.json"
run --grants examples/packages.grants.yaml --write "$work/report" \
    examples/packages.ts -- "$database" "$work/report"
expect 4

say "3. The audit log. Every operation is recorded before it is carried out. This is the
refusal just seen, and the end of that run:"
grep '"outcome":"denied"' "$work/audit.log" | indent
say "Each record holds the hash of the one before, so that none can be changed unnoticed:"
show "supervisor audit verify audit.log"
"$supervisor" audit verify "$work/audit.log" | sed "s|$work/||" | indent

say "4. What confined the program: read back from the kernel before it got the source."
"$supervisor" run --receipt "$work/receipt.json" - <<'END' >/dev/null
1 + 1
END
grep -E -A1 '^    "[a-z_.]+": \{' "$work/receipt.json" |
    sed -n 's/^    "\([^"]*\)": {$/\1/p; s/^ *"state": "\([^"]*\)",*$/\1/p' | paste - - |
    awk '{ printf "%-18s %s\n", $1, $2 }' | indent

say "Done. Next: README.md, or try 'bin/supervisor run --help'."
