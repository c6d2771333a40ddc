#!/bin/bash
# test-vm.sh [DIR]: installs the package that `make deb` made on a Debian system with systemd as PID 1 and unified control
# groups, in QEMU's software emulation (it needs neither KVM nor a network inside), and runs scripts/vm/guest.sh there, which
# tries the package, the service and the kernel tests of this tree, as root and as an ordinary user.
# DIR (.cache/vm) keeps what took long to make. SUITE: Debian's release (trixie). MEM: MiB of each machine; LIMIT: seconds it
# may take; MACHINES: a word for each of those that run side by side, naming its claims: files of scripts/vm, in order.
# A machine has one processor: emulation of several loses now and then when a kernel patches its own code. It has no SMAP:
# emulation reads a user's stack as the kernel when a program returns to a 32-bit segment, which a probe does.
# PROBES=all: also the generated probes, a thousand for each set of layers, which take half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-.cache/vm}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
machines=${MACHINES:-package,apparmor,service,faults,user,removal,install kernel,probes}
export SUITE=${SUITE:-trixie}
dir=$dir/$SUITE
mkdir -p "$dir"
scripts/vm/root.sh "$dir"

# The system's disk: made once, never written to.
if [ ! -e "$dir/root.img" ] || [ "$0" -nt "$dir/root.img" ]; then
	units=$dir/root/etc/systemd/system
	echo vm >"$dir/root/etc/hostname"
	mkdir -p "$units/multi-user.target.wants"
	cat >"$units/vm-test.service" <<-'U'
		[Unit]
		Description=What test-vm.sh runs
		After=basic.target
		[Service]
		Type=oneshot
		ExecStartPre=/bin/mount -o ro LABEL=payload /mnt
		ExecStart=/mnt/guest.sh
		ExecStopPost=/bin/systemctl poweroff -ff
		StandardOutput=file:/dev/console
		StandardError=file:/dev/console
		TimeoutStartSec=infinity
	U
	ln -sfn ../vm-test.service "$units/multi-user.target.wants/vm-test.service"
	for unit in getty@.service serial-getty@.service console-getty.service systemd-timesyncd.service apt-daily.timer apt-daily-upgrade.timer fstrim.timer e2scrub_all.timer logrotate.timer dpkg-db-backup.timer systemd-modules-load.service systemd-udev-settle.service; do
		ln -sfn /dev/null "$units/$unit" # a getty's vhangup would cut the console
	done
	# In a partition, which a kernel without an initrd finds by its name: disks are numbered in the order that they answer.
	rm -f "$dir/root.img"
	truncate -s 901M "$dir/root.img"
	printf '\1\0\0\0\0\0''\0\0\0\0\203\0\0\0\0\10\0\0\0\40\34\0' | dd of="$dir/root.img" bs=1 seek=440 conv=notrunc status=none
	printf '\125\252' | dd of="$dir/root.img" bs=1 seek=510 conv=notrunc status=none
	mke2fs -q -F -t ext4 -E offset=1048576 -d "$dir/root" "$dir/root.img" 900M
fi

# The disk with what is tested: the package, what `make install` needs, and the tests that talk to the kernel, whose helpers
# are built here because the machine has no compiler.
payload=$dir/payload
rm -rf "$payload" "$dir/payload.img"
mkdir -p "$payload/tree/scripts" "$payload/tree/dist" "$payload/tests"
cp scripts/vm/*.sh "$payload/"
cp "$(ls -t dist/supervisor-realm_*.deb | head -1)" "$payload/supervisor.deb"
dpkg-deb -x "$payload/supervisor.deb" "$payload/package"
cp -r Makefile packaging examples/ci "$payload/tree/"
cp scripts/install.sh "$payload/tree/scripts/"
cp -r dist/manual "$payload/tree/dist/"
static=(-trimpath -ldflags '-s -w -linkmode external -extldflags "-static"')
for package in pkg/supervisor internal/cgroup internal/launch; do
	CGO_ENABLED=0 go test -c -trimpath -ldflags '-s -w' -o "$payload/tests/$(basename $package)" "./$package"
done
CGO_ENABLED=0 go test -c -trimpath -ldflags '-s -w' -tags probe -o "$payload/tests/probe" ./internal/probe
CGO_ENABLED=1 go build -tags probe,netgo,osusergo "${static[@]}" -o "$payload/tests/native" ./internal/probe/native
CGO_ENABLED=1 go build -tags netgo,osusergo "${static[@]}" -o "$payload/tests/hostile" ./pkg/supervisor/testdata/hostile
CGO_ENABLED=1 go build -tags netgo,osusergo "${static[@]}" -o "$payload/tests/launched" ./internal/launcher/testdata/probe
chmod -R a+rX "$payload"
mke2fs -q -F -t ext4 -L payload -d "$payload" "$dir/payload.img" 500M

lib=$dir/tools/usr/lib/x86_64-linux-gnu:$dir/tools/lib/x86_64-linux-gnu
kernel=$(ls "$dir"/tools/boot/vmlinuz-*-cloud-amd64)
# machine CLAIMS LOG: boots one, which powers itself off when it has tried them.
machine() {
	LD_LIBRARY_PATH=$lib timeout "${LIMIT:-1800}" "$dir/tools/usr/bin/qemu-system-x86_64" \
		-L "$dir/tools/usr/share/qemu" -L "$dir/tools/usr/share/seabios" \
		-accel tcg -cpu max,smap=off -smp 1 -m "${MEM:-3072}" -display none -nodefaults -no-reboot -serial stdio -kernel "$kernel" \
		-drive file="$dir/root.img",if=none,id=system,format=raw,snapshot=on -device nvme,drive=system,serial=1 \
		-drive file="$dir/payload.img",if=none,id=payload,format=raw,snapshot=on -device nvme,drive=payload,serial=2 \
		-append "console=ttyS0 root=PARTUUID=00000001-01 rootwait rw init=/lib/systemd/systemd lsm=landlock,yama,apparmor mitigations=off ${VM_APPEND:-quiet systemd.show_status=0} audit=0 panic=-1 systemd.default_timeout_start_sec=900 vm.claims=$1 vm.probes=${PROBES:-short}" \
		</dev/null | sed -u 's,\r,,g' | tee "$2" || true
}
began=$(date +%s)
for claims in $machines; do machine "$claims" "$dir/$claims.log" & done
wait
echo "the machines ran for $(($(date +%s) - began)) s"
status=0
for claims in $machines; do
	grep -q '^VM-RESULT pass' "$dir/$claims.log" || { echo "not passed: $claims" >&2; status=1; }
done
exit $status
