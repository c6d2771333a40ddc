#!/bin/bash
# What test-vm.sh runs inside the machine, as root, once systemd is up. Prints a line a claim, and VM-RESULT at the end.
# $CLAIMS of test-vm.sh chooses among the groups: apparmor, faults, user, kernel, install.
set -u
here=$(dirname "$0")
chosen=$(cat "$here/claims")
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
		printf '%s\n' "$out" | tail -15 | cut -c1-600
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
group() { grep -Eq -- "$chosen" <<<"$1"; }
api() { curl -sS --max-time 600 --unix-socket $socket "http://service$1" "${@:2}"; }
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }
caller() { setpriv --reuid 2001 --regid 2001 --groups "$(getent group supervisor | cut -d: -f3)" curl -sS --max-time 600 --unix-socket $socket "http://service$1" "${@:2}"; }
# delegated USER COMMAND...: as a unit with a control group of its own. (systemd-run would need a message bus.)
delegated() {
	local unit=/run/systemd/system/vm-delegated.service out=/run/vm-delegated.out status
	{
		printf '[Service]\nType=oneshot\nDelegate=yes\nUser=%s\nWorkingDirectory=/tmp\nTimeoutStartSec=infinity\nStandardOutput=truncate:%s\nStandardError=append:%s\n' "$1" $out $out
		printf 'Environment=SUPERVISOR_REALM=/usr/libexec/supervisor/realm PROBE_PATH=/mnt/tests/launched PROBE_NATIVE=/mnt/tests/native E2E_HOSTILE=/mnt/tests/hostile\n'
		printf 'ExecStart=%s\n' "${*:2}"
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
gone() { for _ in $(seq 600); do [ -z "$(realms)" ] && return; sleep 0.1; done; ps -ef; return 1; }

# Emulated on a busy host, a self-check may take longer than the watchdog waits.
mkdir -p /etc/systemd/system/supervisor.service.d
printf '[Service]\nWatchdogSec=600\nTimeoutStartSec=600\n' >/etc/systemd/system/supervisor.service.d/emulation.conf

claim "control groups are unified" says cgroup2fs stat -fc %T /sys/fs/cgroup
claim "the package installs" dpkg -i "$here"/supervisor.deb
claim "its service starts" active
claim "it says so" says 'runs live' systemctl show -p StatusText supervisor
claim "it runs as a user of its own" says '^supervisor' ps -o user= -p "$(systemctl show -p MainPID --value supervisor)"
claim "it stands in a leaf of its unit" says 'supervisor.service/supervisor$' cat "/proc/$(systemctl show -p MainPID --value supervisor)/cgroup"
claim "its socket is for its group alone" says '^660 supervisor supervisor$' stat -c '%a %U %G' $socket
claim "the unit's exposure is 3.0 at most" systemd-analyze security --offline=yes --threshold=30 /usr/lib/systemd/system/supervisor.service

echo 'export default (a) => 6 * Number(a)' >/tmp/six.ts
claim "doctor is content, as root" supervisor doctor
claim "a run, as root" says '^42$' supervisor run /tmp/six.ts -- 7
claim "doctor is content, as an ordinary user with delegation" delegated 2000 /usr/bin/supervisor doctor
claim "a run, as an ordinary user with delegation" says '^42$' delegated 2000 /usr/bin/supervisor run /tmp/six.ts -- 7
claim "a run without delegation is refused by name" says 'UNENFORCEABLE.*cgroup' as 2000 supervisor run /tmp/six.ts

if group apparmor; then . "$here/apparmor.sh"; fi

claim "as installed, nobody may call" says '"status":403' api /v1/runs -d '{"source":"1"}'
claim "who is not in the group cannot connect" says 'Permission denied|Could.n.t connect|Failed to connect' as 2001 curl -sS --unix-socket $socket http://service/healthz
mkdir -p /srv/data && echo data >/srv/data/file && chmod -R a+rX /srv/data
cat >$policy <<P
version: 1
requiredLayers: [cgroup.memory, cgroup.pids, cgroup.cpu, cgroup.kill, landlock]
ceilings:
  filesystem: {read: [/srv/data]}
  subprocess: {commands: [/usr/bin/wc], sandbox: {read: [/srv/data]}}
  resources: {wallClockMs: 120000, cpuMs: 120000}
profiles:
  data: {filesystem: {read: [/srv/data]}, resources: {wallClockMs: 120000, cpuMs: 120000}}
callers:
  - {uid: 2001, profiles: [data], grants: true}
audit: [{file: /var/log/supervisor/audit.log}]
pool: {maxConcurrent: 4}
P
claim "the policy is sound" supervisor policy check $policy
claim "reload" systemctl reload supervisor
run_reads='{"source":"import {readText} from \"realm:capabilities\"; export default () => readText(\"/srv/data/file\")"}'
reloaded() { for _ in $(seq 300); do says '"value":"data' caller /v1/runs -d "$run_reads" && return; sleep 0.2; done; caller /v1/runs -d "$run_reads"; return 1; }
claim "an allowed user runs under the profile" reloaded
claim "the receipt says what confines it" says '"policySha256"' caller /v1/runs -d '{"source":"1"}'
claim "a user who is not listed is refused" says '"code":"DENIED"' api /v1/runs -d '{"source":"1"}'
for grants in '{"secrets":{"X":{"fromFile":"/etc/shadow"}}}' '{"secrets":{"X":{"fromEnv":"PATH"}}}' '{"modules":{"m":"/etc/passwd"}}' \
	'{"wasm":[{"name":"w","wasmPath":"/etc/passwd"}]}' '{"filesystem":{"read":["/etc"]}}' '{"filesystem":{"write":["/var/log/supervisor"]}}' \
	'{"subprocess":{"commands":["/bin/sh"]}}' '{"network":{"origins":["http://169.254.169.254"]}}' '{"resources":{"wallClockMs":120001}}'; do
	claim "refused: $grants" says '"status":403' caller /v1/runs -d "{\"source\":\"1\",\"grants\":$grants}"
done
claim "a granted command runs in its jail under the unit's hardening" says '"value":"[0-9]+ /srv/data/file' caller /v1/runs -d '{"grants":{"subprocess":{"commands":["/usr/bin/wc"],"sandbox":{"read":["/srv/data"]}},"resources":{"wallClockMs":120000,"cpuMs":120000}},"source":"import {spawn} from \"realm:capabilities\"; export default async () => { const r = await spawn(\"/usr/bin/wc\", [\"-c\", \"/srv/data/file\"]); return r.stdout || r.stderr }"}'
claim "a realm that is out of memory is that realm's matter" says '"code":"OOM"' caller /v1/runs -d '{"source":"const a=[]; for(;;) a.push(new Uint8Array(1<<24).fill(7))","limits":{"realmMemoryMb":200}}'
claim "a heap that is too large, too" says '"code":"OOM"' caller /v1/runs -d '{"source":"const a=[]; for(;;) a.push(new Array(1e6).fill(1.5))","limits":{"memoryMb":32}}'
claim "a loop ends at its deadline" says '"code":"TIMEOUT"' caller /v1/runs -d '{"source":"for(;;);","limits":{"wallClockMs":2000}}'
claim "the service is as it was" says '^[0-9]+ 0$' sh -c 'echo $(systemctl show -p MainPID -p NRestarts --value supervisor)'
claim "no realm is left" dead

# Restart under load: who is waiting is served by the next one.
answers=$(mktemp -d)
for i in $(seq 12); do
	(sleep "0.$i"; for _ in 1 2 3 4 5 6 7 8; do
		caller /v1/runs -d "{\"source\":\"$i*2\"}" >"$answers/$i" 2>&1 && grep -q "\"value\":$((i * 2))," "$answers/$i" && exit
		sleep 0.5
	done; touch "$answers/failed-$i") &
done
sleep 0.3
claim "restart under load" systemctl restart supervisor
wait
claim "every client got its answer in the end" fails ls "$answers"/failed-*

caller /v1/runs -d '{"source":"for(;;);"}' >/dev/null 2>&1 &
lives() { for _ in $(seq 600); do pgrep -f '^realm --' >/dev/null && return; sleep 0.1; done; return 1; }
claim "a realm lives" lives
kill -9 "$(systemctl show -p MainPID --value supervisor)"
claim "kill -9 of the service leaves no realm" dead
claim "systemd starts it again" active
claim "and it runs sources again" reloaded
wait

claim "the journal has each run's end with the log's head" says 'run ended.*auditHead=[0-9a-f]{64}' journalctl -u supervisor -o cat
claim "the audit log is whole" supervisor audit verify /var/log/supervisor/audit.log
claim "it is rotated" logrotate -f /etc/logrotate.d/supervisor
claim "runs go on in a new log" reloaded
claim "both are whole" sh -c 'for f in /var/log/supervisor/audit.log*; do supervisor audit verify $f || exit 1; done; ls /var/log/supervisor | wc -l | grep -q 2'
claim "memory of the service is bounded" sh -c 'test $(systemctl show -p MemoryCurrent --value supervisor) -lt 400000000'

if group faults; then . "$here/faults.sh"; fi
if group user; then . "$here/user.sh"; fi
if group kernel; then . "$here/kernel.sh"; fi

claim "an upgrade keeps the policy" sh -c "dpkg -i '$here'/supervisor.deb && grep -q 'uid: 2001' $policy"
claim "removal" dpkg -r supervisor-realm
claim "leaves the policy" test -e $policy
claim "purge" dpkg -P supervisor-realm
claim "leaves nothing but the audit log" sh -c 'test -e /var/log/supervisor/audit.log && ! ls -d /etc/supervisor /run/supervisor/supervisor.sock /usr/bin/supervisor /usr/libexec/supervisor /usr/lib/systemd/system/supervisor.* 2>/dev/null'
claim "no process is left" gone

if group install; then . "$here/install.sh"; fi

if [ $failed = 0 ]; then echo "VM-RESULT pass"; else
	journalctl -u supervisor --no-pager -n 40
	echo "VM-RESULT fail: $failed claims"
fi
