#!/bin/sh
# Assembles distance.wasm from distance.wat with wabt, which npm installs into a temporary directory.
set -eu
cd "$(dirname "$0")"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
npm install --prefix "$tools" --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error wabt@1.0.39
"$tools/node_modules/.bin/wat2wasm" distance.wat -o distance.wasm
