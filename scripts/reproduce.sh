#!/bin/sh
# Builds the binaries from two copies of this tree in different directories, each with a build cache of its own, and
# compares them: the same source and Go make the same bytes.
#   ONLY=TARGET   builds that target of make alone: supervisor, which takes seconds, or realm
#   CACHE=shared  uses the ordinary build cache: quick, and shows only that paths leave no trace where something is built
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
for copy in a "b/of-another-length"; do
    mkdir -p "$work/$copy"
    tar c --exclude=./.git --exclude=./.cache --exclude=./bin --exclude=./dist --exclude=./internal/v8/include --exclude=./internal/v8/include_upstream . | tar x -C "$work/$copy"
done
for copy in a "b/of-another-length"; do # once both are there: this tree may go on
    [ "${CACHE:-}" = shared ] || export GOCACHE="$work/cache-$(echo "$copy" | cut -c1)"
    make -s -C "$work/$copy" ${ONLY:-supervisor realm} >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
done
status=0
for name in $(ls "$work/a/bin"); do
    one=$(sha256sum <"$work/a/bin/$name")
    other=$(sha256sum <"$work/b/of-another-length/bin/$name")
    echo "${one%% *} $name"
    [ "$one" = "$other" ] || { echo "${other%% *} $name: another build differs" >&2; status=1; }
done
exit $status
