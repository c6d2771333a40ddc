#!/bin/sh
# What the binaries are made of. `make supply` starts it.
#   OUT=dir     where sbom-*.json and licenses.txt go; dist/supply without it
#   VULNDB=URL  the vulnerability database, e.g. file:///a/copy; the public one without it, and where that cannot be
#               reached its source, the module golang.org/x/vulndb
#   SKIP=WORDS  leaves out some of: verify, vulnerabilities, sbom, reproduce
# Ends with 1 when a module was changed, a known vulnerability is called, a licence is unknown or not the reviewed one, or builds differ.
set -eu
cd "$(dirname "$0")/.."
OUT=${OUT:-dist/supply}
SKIP=${SKIP:-}
mkdir -p "$OUT"
tool="go tool -modfile=tools/go.mod"
wanted() { case " $SKIP " in *" $1 "*) return 1 ;; esac; }

if wanted verify; then
    go mod verify
fi

# The Go that go.mod asks for, whatever this host would build with.
vulnerabilities() {
    db=${VULNDB:-}
    if [ -z "$db" ] && ! (cd cmd/supervisor && go tool -modfile=../../tools/go.mod govulncheck -scan module) >"$OUT/reach" 2>&1; then
        grep -q 'fetching vulnerabilities' "$OUT/reach" && db=source
    fi
    rm -f "$OUT/reach"
    if [ "$db" = source ]; then
        source=$(cd "$(mktemp -d)" && GOFLAGS= go mod init x >/dev/null 2>&1 && go mod download -json golang.org/x/vulndb@latest)
        echo "vulnerability database: golang.org/x/vulndb $(echo "$source" | sed -n 's/.*"Version": "\(.*\)".*/\1/p')"
        db=file://$(echo "$source" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')/data/osv
    fi
    toolchain=$(go mod edit -json | sed -n 's/.*"Toolchain": "\(.*\)".*/\1/p')
    [ "$(go env GOVERSION)" = "$toolchain" ] || echo "this host builds with $(go env GOVERSION), go.mod asks for $toolchain: releases are built with that"
    for name in supervisor realm traces; do
        GOTOOLCHAIN=$toolchain $tool govulncheck ${db:+-db "$db"} "./cmd/$name"
    done
}
if wanted vulnerabilities; then
    vulnerabilities
fi

if wanted sbom; then
    : >"$OUT/licenses.txt"
    gcc=$(gcc -dumpfullversion)
    host=$(printf '{"Go":"%s","glibc":"%s","libstdc++":"%s","libgcc":"%s"}' "$(go env GOVERSION)" "$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" "$gcc" "$gcc")
    for name in supervisor realm traces; do
        cgo=0
        [ "$name" = realm ] && cgo=1
        CGO_ENABLED=$cgo $tool cyclonedx-gomod app -licenses -json -noserial -output "$OUT/modules.json" -main "cmd/$name" . 2>/dev/null
        jq --rawfile reviewed docs/licenses.txt --arg binary "$name" --argjson host "$host" -f scripts/supply.jq "$OUT/modules.json" >"$OUT/sbom-$name.json"
        # "name version licence" a line, of modules.
        jq -r '.components[] | select(.purl) | [.name, .version, ([(.licenses // .evidence.licenses // [])[].license | .id // .name] | join(" ") | if . == "" then "UNKNOWN" else . end)] | join(" ")' \
            "$OUT/sbom-$name.json" >>"$OUT/licenses.txt"
    done
    rm "$OUT/modules.json"
    sort -u -o "$OUT/licenses.txt" "$OUT/licenses.txt"
    sed -n '/^#/,$p' docs/licenses.txt >>"$OUT/licenses.txt" # what is no module, by hand
    if grep UNKNOWN "$OUT/licenses.txt"; then exit 1; fi
    diff docs/licenses.txt "$OUT/licenses.txt" || { echo "review what is linked and under which terms, then copy $OUT/licenses.txt to docs" >&2; exit 1; }
fi

if wanted reproduce; then
    scripts/reproduce.sh
fi
