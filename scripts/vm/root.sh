#!/bin/bash
# root.sh DIR: a Debian root file system with systemd (DIR/root), its kernel and QEMU (DIR/tools), made once from the
# machine's own package sources. SUITE (trixie) is Debian's name of it; this one's kernel restricts user namespaces by
# AppArmor as Ubuntu's does. Needs root; nothing is installed on the host.
set -euo pipefail
dir=$1 suite=${SUITE:-trixie}
mkdir -p "$dir/debs/partial" "$dir/tools" "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
dir=$(cd "$dir" && pwd)
apt=(apt-get -o APT::Sandbox::User=root)
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)

if [ ! -e "$dir/tools.ok" ]; then
	"${apt[@]}" update -qq
	"${apt[@]}" install -y -q --no-install-recommends --download-only --reinstall \
		-o Dir::Cache::archives="$dir/debs" mmdebstrap qemu-system-x86 >/dev/null
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$dir/apt/sources.list"
	of_suite=("${apt[@]}" -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache")
	"${of_suite[@]}" update -qq
	kernel=$(apt-cache -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache" \
		depends linux-image-cloud-amd64 | awk '/Depends: linux-image-[0-9]/ {print $2; exit}')
	(cd "$dir/debs" && "${of_suite[@]}" download -q "$kernel" >/dev/null)
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir/tools"
	done
	touch "$dir/tools.ok"
fi

if [ ! -e "$dir/root.ok" ]; then
	rm -rf "$dir/root" "$dir/tmp"
	mkdir -p "$dir/tmp"
	PATH=$dir/tools/usr/bin:$PATH TMPDIR=$dir/tmp unshare -m --propagation private perl "$dir/tools/usr/bin/mmdebstrap" -q --mode=root \
		--variant=minbase --include=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,apparmor,make,curl,jq,logrotate,procps \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		"$suite" "$dir/root" "$mirror"
	rm -rf "$dir"/root/var/cache/apt/* "$dir"/root/var/lib/apt/lists/*
	touch "$dir/root.ok"
fi
