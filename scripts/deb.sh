#!/bin/bash
# deb.sh: dist/supervisor-realm_VERSION_amd64.deb of what `make build` made, without a package builder.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^const Version = "\(.*\)"/\1/p' internal/build/build.go)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
PREFIX=/usr DESTDIR=$stage scripts/install.sh stage
find "$stage/usr/share/man" -name '*.1' -exec gzip -9n {} +
mkdir "$stage/DEBIAN"
size=$(du -sk "$stage" | cut -f1)
sed "s/@VERSION@/$version/; s/@SIZE@/$size/" packaging/debian/control >"$stage/DEBIAN/control"
install -m 644 packaging/debian/conffiles "$stage/DEBIAN/conffiles"
install -m 755 packaging/debian/{postinst,prerm,postrm} "$stage/DEBIAN/"
(cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
deb=dist/supervisor-realm_${version}_amd64.deb
dpkg-deb --root-owner-group -Zgzip --build "$stage" "$deb" >/dev/null
echo "$deb"
