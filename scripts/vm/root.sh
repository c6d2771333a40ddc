#!/bin/bash
# vm-root.sh DIR: a Debian root file system with systemd (DIR/root.tar), a kernel and QEMU (DIR/tools), made once from the
# machine's own package sources. Needs root; nothing is installed on the host.
set -euo pipefail
dir=$1
mkdir -p "$dir/debs/partial" "$dir/tools"
dir=$(cd "$dir" && pwd)
apt=(apt-get -o APT::Sandbox::User=root)

if [ ! -e "$dir/tools.ok" ]; then
	"${apt[@]}" update -qq
	"${apt[@]}" install -y -q --no-install-recommends --download-only --reinstall \
		-o Dir::Cache::archives="$dir/debs" mmdebstrap qemu-system-x86 >/dev/null
	kernel=$("${apt[@]}" -s install --no-install-recommends linux-image-cloud-amd64 | awk '/^Inst linux-image-[0-9]/ {print $2; exit}')
	(cd "$dir/debs" && "${apt[@]}" download -q "$kernel" >/dev/null)
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir/tools"
	done
	touch "$dir/tools.ok"
fi

if [ ! -e "$dir/root.ok" ]; then
	mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)
	rm -rf "$dir/root" "$dir/tmp"
	mkdir -p "$dir/tmp"
	PATH=$dir/tools/usr/bin:$PATH TMPDIR=$dir/tmp unshare -m --propagation private perl "$dir/tools/usr/bin/mmdebstrap" -q --mode=root \
		--variant=minbase --include=systemd,systemd-sysv,curl,jq,logrotate,procps \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		bookworm "$dir/root" "$mirror"
	rm -rf "$dir"/root/var/cache/apt/* "$dir"/root/var/lib/apt/lists/*
	touch "$dir/root.ok"
fi
