#!/bin/bash
# enter.sh ROOT MODULES BUILDS: makes ROOT the root of this mount namespace, with what a real machine has there, and becomes
# guest.sh in it. As process 1 of namespaces of its own, see test-fresh.sh. (A chroot would not do: there the kernel allows no
# user namespaces.)
set -euo pipefail
root=$1 modules=$2 builds=$3
hostname fresh

mount --bind "$root" "$root"
cd "$root"
mount -t proc -o nosuid,nodev,noexec proc proc
mount --rbind /sys sys
mount -t tmpfs -o mode=755,nosuid dev dev
for device in null zero full random urandom tty; do
	touch dev/$device
	mount --bind /dev/$device dev/$device
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777,nosuid,nodev shm dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for fd in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${fd%:*}" "dev/${fd#*:}"; done
mount -t tmpfs -o mode=755,nosuid,nodev run run

# Go as it is unpacked from go.dev, its caches, and how this host reaches modules and names.
mkdir -p usr/local/go root/go/pkg/mod root/.cache/go-build
mount --bind "$(GOTOOLCHAIN=local go env GOROOT)" usr/local/go
mount -o remount,bind,ro usr/local/go
mount --bind "$modules" root/go/pkg/mod
mount --bind "$builds" root/.cache/go-build
cat /etc/resolv.conf >etc/resolv.conf
keep=("GOTOOLCHAIN=${GOTOOLCHAIN:-auto}") # go.dev's default; a container's image may have another
for name in GOPROXY GOSUMDB GONOSUMDB GONOPROXY GOPRIVATE GOINSECURE GOFLAGS http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY QUICK SHELL_INSIDE TERM; do
	[ -z "${!name:-}" ] || keep+=("$name=${!name}")
done
if [ -e "${SSL_CERT_FILE:-}" ]; then
	cp -L "$SSL_CERT_FILE" run/certificates.pem
	keep+=(SSL_CERT_FILE=/run/certificates.pem)
fi

mkdir run/host
pivot_root . run/host
umount -l /run/host
rmdir /run/host
cd /root
exec env -i HOME=/root USER=root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin "${keep[@]}" \
	/bin/bash /srv/guest.sh
