# Who may call the service and for what, its limits, and what it outlives. Sourced by guest.sh.
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
