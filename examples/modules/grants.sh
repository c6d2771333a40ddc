#!/bin/sh
# Prints grants for the named packages: those beside this file, and those that install.sh installed. Grants name files by
# absolute paths, which no document in a repository can know.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
echo "modules:"
for name in "$@"; do
  for directory in "$here/$name" "$here/node_modules/$name"; do
    if [ -f "$directory/package.json" ]; then
      echo "  \"$name\": \"$directory\""
      continue 2
    fi
  done
  echo "$0: there is no package $name; run install.sh?" >&2
  exit 1
done
