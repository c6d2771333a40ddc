# What happens to the service from outside. Sourced by guest.sh.
running() { for _ in $(seq 300); do says '"state":"running"' caller /v1/runs && return; sleep 0.1; done; return 1; }
before=$(systemctl show -p NRestarts --value supervisor)
# A deadline is a matter of the monotonic clock: the wall clock may be stepped in the middle of a run.
for step in '+1 hour' '-2 hours' '+1 hour'; do
	answer=$(mktemp)
	caller /v1/runs -d '{"source":"for(;;);","limits":{"wallClockMs":8000}}' >"$answer" 2>&1 &
	run=$!
	running >/dev/null && date -s "$step" >/dev/null
	wait $run
	claim "a clock that is stepped by $step changes no deadline" says '"code":"TIMEOUT".*"wallMs":([89]|[1-5][0-9])[0-9]{3}[,}]' cat "$answer"
	claim "and the service goes on" says '"value":42' caller /v1/runs -d '{"source":"6*7"}'
done
claim "the service was not restarted" says "^$before\$" systemctl show -p NRestarts --value supervisor

# A control group that somebody removes takes the run that it held, and nothing else.
caller /v1/runs -d '{"source":"for(;;);"}' >/run/removed 2>&1 &
run=$!
realm_groups() { ls -d /sys/fs/cgroup/system.slice/supervisor.service/realm-* 2>/dev/null; }
claim "it runs" running
claim "a realm has a group below the unit's" realm_groups
remove_groups() {
	for d in $(realm_groups); do
		for _ in $(seq 600); do
			echo 1 >"$d/cgroup.kill" && rmdir "$d"
			[ -d "$d" ] || break
			sleep 0.1
		done
	done 2>/dev/null
	[ ! -d "$d" ]
}
claim "its group is removed" remove_groups
wait $run
claim "its run has crashed" says '"code":"CRASHED"' cat /run/removed
claim "and the next one is well" says '"value":42' caller /v1/runs -d '{"source":"6*7"}'

# A broken policy is refused at reload, and what held before holds.
cp $policy /run/policy.good
echo 'callers: [{uid: 0}]' >>$policy
systemctl reload supervisor
refused() { for _ in $(seq 600); do says 'reload refused' journalctl -u supervisor -o cat -n 30 && return; sleep 0.2; done; return 1; }
claim "a broken policy is refused" refused
claim "the policy of before holds" says '"value":"data' caller /v1/runs -d "$run_reads"
cp /run/policy.good $policy
claim "and the next reload is taken" systemctl reload supervisor

# The service's directory is gone: it is systemd's, which makes it again.
rm -rf /run/supervisor
claim "without its socket nobody connects" fails api /healthz
claim "a restart of the socket makes its directory" systemctl restart supervisor.socket supervisor.service
claim "and the service serves again" reloaded
