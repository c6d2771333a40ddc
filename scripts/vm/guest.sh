#!/bin/bash
# What test-vm.sh runs inside a machine, as root, once systemd is up: the files beside it that the kernel's command line
# names as vm.claims=a,b,c, in that order. Prints a line a claim, and VM-RESULT at the end.
set -u
here=$(dirname "$0")
chosen=$(sed -nE 's/.*vm\.claims=([a-z,-]+).*/\1/p' /proc/cmdline)
failed=0
socket=/run/supervisor/supervisor.sock
policy=/etc/supervisor/policy.yaml

note() { echo "VM $(cut -d. -f1 /proc/uptime)s $*"; } # the clock is stepped
# claim TEXT COMMAND...: the command succeeds.
claim() {
	local text=$1 out
	shift
	if out=$("$@" 2>&1); then
		note "ok      $text"
	else
		failed=$((failed + 1))
		note "FAILED  $text"
		grep -v ': attacks: ' <<<"$out" | tail -25 | cut -c1-600
	fi
}
# says PATTERN COMMAND...: its output matches.
says() {
	local pattern=$1 out
	shift
	out=$("$@" 2>&1)
	grep -Eq -- "$pattern" <<<"$out" || { printf 'wanted %s, got: %s\n' "$pattern" "$out"; return 1; }
}
fails() { ! "$@"; }
api() { curl -sS --max-time 600 --unix-socket $socket "http://service$1" "${@:2}"; }
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }
caller() { setpriv --reuid 2001 --regid 2001 --groups "$(getent group supervisor | cut -d: -f3)" curl -sS --max-time 600 --unix-socket $socket "http://service$1" "${@:2}"; }
# delegated USER COMMAND...: as a unit with a control group of its own, in $leaf of it if that is set. (systemd-run would
# need a message bus.)
delegated() {
	local unit=/run/systemd/system/vm-delegated.service out=/run/vm-delegated.out status
	{
		printf '[Service]\nType=oneshot\nDelegate=yes\nUser=%s\nWorkingDirectory=/tmp\nTimeoutStartSec=infinity\nStandardOutput=truncate:%s\nStandardError=append:%s\n' "$1" $out $out
		printf 'Environment=SUPERVISOR_REALM=/usr/libexec/supervisor/realm PROBE_PATH=/mnt/tests/launched PROBE_NATIVE=/mnt/tests/native E2E_HOSTILE=/mnt/tests/hostile\n'
		printf '%s\nExecStart=%s\n' "${leaf:+DelegateSubgroup=$leaf}" "${*:2}"
	} >$unit
	: >$out
	systemctl daemon-reload
	systemctl start vm-delegated.service 2>/dev/null
	status=$?
	cat $out
	systemctl reset-failed vm-delegated.service 2>/dev/null
	return $status
}
active() { for _ in $(seq 1500); do systemctl -q is-active supervisor && return; systemctl -q is-failed supervisor && break; sleep 0.2; done; journalctl -u supervisor -o cat --no-pager -n 12; return 1; }
useradd --uid 2000 ordinary
useradd --uid 2001 allowed
realms() { pgrep -f '^realm( |-spawner|$)' || true; }
dead() { for _ in $(seq 600); do pgrep -f '^realm --' >/dev/null || return 0; sleep 0.1; done; ps -ef; return 1; }
# The binaries at their places, where the package itself is not what is tried.
placed() { for f in /usr/bin/supervisor /usr/libexec/supervisor; do [ -e $f ] || ln -s "$here/package$f" $f; done; }
gone() { for _ in $(seq 600); do [ -z "$(realms)" ] && return; sleep 0.1; done; ps -ef; return 1; }
claim "control groups are unified" says cgroup2fs stat -fc %T /sys/fs/cgroup
for claims in ${chosen//,/ }; do . "$here/$claims.sh"; done

if [ $failed = 0 ]; then echo "VM-RESULT pass"; else
	journalctl -u supervisor --no-pager -n 40
	echo "VM-RESULT fail: $failed claims"
fi
