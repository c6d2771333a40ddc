#!/bin/sh
# Prints the grants of this example: documents name files by absolute paths, which none in a repository can know.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cat <<EOF
wasm:
  - {name: distance, wasmPath: "$here/distance.wasm", jsBindingPath: "$here/binding.js"}
EOF
