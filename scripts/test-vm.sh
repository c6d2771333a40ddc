#!/bin/bash
# test-vm.sh [DIR]: installs the package that `make deb` made on a Debian system with systemd as PID 1 and unified control
# groups, in QEMU's software emulation (it needs neither KVM nor a network inside), and runs scripts/vm/guest.sh there.
# DIR (.cache/vm) keeps what took long to make. MEM: MiB of the machine; LIMIT: seconds it may take. KERNEL_TESTS=1 runs the
# library's own tests there too; some need the sources beside them, and under emulation some pass their time limits.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-.cache/vm}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
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
		ExecStartPre=/bin/mount -o ro /dev/nvme1n1 /mnt
		ExecStart=/mnt/guest.sh
		ExecStopPost=/bin/systemctl poweroff -ff
		StandardOutput=file:/dev/console
		StandardError=file:/dev/console
		TimeoutStartSec=infinity
	U
	ln -sfn ../vm-test.service "$units/multi-user.target.wants/vm-test.service"
	for unit in getty@.service serial-getty@.service console-getty.service systemd-timesyncd.service apt-daily.timer apt-daily-upgrade.timer fstrim.timer e2scrub_all.timer; do
		ln -sfn /dev/null "$units/$unit" # a getty's vhangup would cut the console
	done
	rm -f "$dir/root.img"
	mke2fs -q -F -t ext4 -d "$dir/root" "$dir/root.img" 900M
fi

# The disk with what is tested.
payload=$dir/payload
rm -rf "$payload" "$dir/payload.img"
mkdir -p "$payload"
cp scripts/vm/guest.sh "$payload/"
cp "$(ls -t dist/supervisor-realm_*.deb | head -1)" "$payload/supervisor.deb"
if [ "${KERNEL_TESTS:-0}" = 1 ]; then
	CGO_ENABLED=0 go test -c -trimpath -o "$payload/supervisor.test" ./pkg/supervisor
	echo "-test.short -test.timeout=900s" >"$payload/supervisor.args"
fi
chmod -R a+rX "$payload"
mke2fs -q -F -t ext4 -d "$payload" "$dir/payload.img" 300M

began=$(date +%s)
lib=$dir/tools/usr/lib/x86_64-linux-gnu:$dir/tools/lib/x86_64-linux-gnu
log=$dir/console.log
LD_LIBRARY_PATH=$lib timeout "${LIMIT:-1500}" "$dir/tools/usr/bin/qemu-system-x86_64" \
	-L "$dir/tools/usr/share/qemu" -L "$dir/tools/usr/share/seabios" \
	-accel tcg,thread=multi -cpu max -smp 2 -m "${MEM:-3072}" -display none -nodefaults -no-reboot -serial stdio \
	-kernel "$(ls "$dir"/tools/boot/vmlinuz-*-cloud-amd64)" \
	-drive file="$dir/root.img",if=none,id=system,format=raw,snapshot=on -device nvme,drive=system,serial=1 \
	-drive file="$dir/payload.img",if=none,id=payload,format=raw,snapshot=on -device nvme,drive=payload,serial=2 \
	-append "console=ttyS0 root=/dev/nvme0n1 rw init=/lib/systemd/systemd lsm=landlock,yama mitigations=off ${VM_APPEND:-quiet systemd.show_status=0} panic=-1" \
	</dev/null | sed -u 's,\r,,g' | tee "$log" || true
echo "the machine ran for $(($(date +%s) - began)) s"
grep -q '^VM-RESULT pass' "$log"
