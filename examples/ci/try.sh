#!/bin/sh
# try.sh [SUPERVISOR]: what a job inside a container meets, tried without one, by giving up what a container's process lacks:
# every capability, new privileges, writable control groups and, in the end, user namespaces. Needs root, to have something
# to give up, setpriv and unshare. Prints what happened; the status is 0 when each step did what docs/CI.md says.
set -u
supervisor=$(realpath "${1:-$(command -v supervisor)}") || exit 2
[ "$(id -u)" = 0 ] || { echo "try.sh needs root: it gives privileges up" >&2; exit 2; }
cd / || exit 2
work=$(mktemp -d) && chmod 755 "$work" && trap 'rm -rf "$work"' EXIT
echo 'export default () => "it ran"' >"$work/guest.ts"
failed=0

# unprivileged COMMAND...: as nobody, without capabilities, groups and a way to get more.
unprivileged() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
}
# step TEXT STATUS PATTERN COMMAND...
step() {
	text=$1 want=$2 pattern=$3
	shift 3
	out=$("$@" 2>&1)
	got=$?
	if [ $got = "$want" ] && printf '%s\n' "$out" | grep -Eq -- "$pattern"; then
		printf 'ok      %s: exit status %s\n' "$text" $got
	else
		printf 'FAILED  %s: exit status %s, wanted %s and %s\n' "$text" $got "$want" "$pattern"
		failed=1
	fi
	printf '%s\n' "$out" | sed 's/^/        /'
}
run="run --ci --timeout 20s"
unset GITHUB_ACTIONS GITLAB_CI
export CI=true

step "without control groups nothing runs" 11 '^error UNENFORCEABLE this runner cannot enforce cgroup\.memory: .*; to enable it: ' \
	unprivileged "$supervisor" $run "$work/guest.ts"
step "GitHub is told in one line" 11 '^::error title=UNENFORCEABLE::this runner cannot enforce cgroup\.memory' \
	env GITHUB_ACTIONS=true setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set=-all -- "$supervisor" $run "$work/guest.ts"
step "waived by name, it runs, and says so" 0 'weakened isolation: cgroup\.memory' \
	unprivileged "$supervisor" $run --allow-missing cgroup.memory,cgroup.pids,cgroup.cpu "$work/guest.ts"
step "without user namespaces nothing runs, whatever is waived" 11 '^error UNENFORCEABLE this runner cannot enforce userns: .*max_user_namespaces' \
	unshare --user --map-root-user sh -c "echo 0 >/proc/sys/user/max_user_namespaces && exec '$supervisor' $run --allow-missing cgroup.memory,cgroup.pids,cgroup.cpu '$work/guest.ts'"
exit $failed
