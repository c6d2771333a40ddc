#!/bin/bash
# root.sh DIR SUITE: a minimal root file system of a Debian or Ubuntu release (DIR/SUITE/root), made once. Debian's packages
# come from where this host gets its own; DEBIAN_MIRROR and UBUNTU_MIRROR name others. Needs root and Debian's archive keys;
# nothing is installed on the host.
set -euo pipefail
dir=$1 suite=$2 tools=$1/tools
[ ! -e "$dir/$suite/root.ok" ] || exit 0

debian=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' | head -1)}
[ -n "$debian" ] || { echo "root.sh: this host has no mirror of Debian: name one as DEBIAN_MIRROR=URL" >&2; exit 1; }
case $suite in
bookworm | trixie) mirror=$debian keyring=debian-archive-keyring.gpg ;;
noble) mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} keyring=ubuntu-archive-keyring.gpg ;;
*) echo "root.sh: which system is $suite?" >&2; exit 1 ;;
esac

if [ ! -e "$dir/tools.ok" ]; then
	mkdir -p "$dir/debs" "$tools" "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
	# The first release of Debian that has Ubuntu's keys.
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $debian trixie main" >"$dir/apt/sources.list"
	apt=(apt-get -o APT::Sandbox::User=root -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=-
		-o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache")
	"${apt[@]}" update -qq
	(cd "$dir/debs" && "${apt[@]}" download -q mmdebstrap debian-archive-keyring ubuntu-keyring >/dev/null)
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$tools"
	done
	touch "$dir/tools.ok"
fi

root=$dir/$suite/root
rm -rf --one-file-system "$root" "$dir/tmp"
mkdir -p "$dir/$suite" "$dir/tmp"
TMPDIR=$dir/tmp unshare --mount --propagation private perl "$tools/usr/bin/mmdebstrap" -q --mode=root --variant=minbase \
	--include=git,make,ca-certificates "$suite" "$root" \
	"deb [signed-by=$tools/usr/share/keyrings/$keyring] $mirror $suite main"
# What an installer would have written: sources with the system's own key, the loopback's name, a user.
echo "deb $mirror $suite main" >"$root/etc/apt/sources.list"
printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
useradd --root "$root" --create-home --shell /bin/bash newcomer
touch "$dir/$suite/root.ok"
