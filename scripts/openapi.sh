#!/bin/sh
# Makes a Go client of internal/service/openapi.json with a common generator, and compiles it: what the document says can be
# taken by a machine. Needs the module proxy. `make openapi` starts it; nothing of it is kept.
set -eu
cd "$(dirname "$0")/.."
document=$PWD/internal/service/openapi.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf 'module client\n\ngo 1.26\n' >go.mod
go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package client -o client.go "$document"
go get github.com/oapi-codegen/runtime@v1.9.0 2>/dev/null
go vet .
echo "openapi.json: $(grep -c '^func (c \*Client)' client.go) calls in the client made of it"
