#!/bin/sh
# Installs the packages that orders.ts uses into node_modules here, which git ignores. No script of a package is run.
set -eu
cd "$(dirname "$0")"
exec npm install --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error
