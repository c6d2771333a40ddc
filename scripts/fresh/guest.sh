#!/bin/bash
# What test-fresh.sh runs inside a minimal system, as root. Prints a line a claim with the seconds that it took, of time and
# of processors, and FRESH-RESULT at the end.
set -u
tree=/root/supervisor
failed=0

if [ "${SHELL_INSIDE:-}" ]; then
	git -c advice.detachedHead=false clone -q /srv/tree.bundle $tree
	cd $tree && exec /bin/bash -i
fi

# claim TEXT COMMAND...: the command succeeds. Its output is shown.
claim() {
	local text=$1 TIMEFORMAT='(%0R s; processors %0U + %0S s)'
	shift
	echo "FRESH begin   $text"
	if time "$@" 2>&1; then
		echo "FRESH ok      $text"
	else
		failed=$((failed + 1))
		echo "FRESH FAILED  $text"
	fi
}
# says PATTERN COMMAND...: its output has such a line.
says() {
	local pattern=$1 out
	shift
	out=$("$@" 2>&1)
	echo "$out"
	grep -Eq -- "$pattern" <<<"$out"
}
fails() { ! "$@"; }
# others prints the command lines of what runs here beside this script, which is process 1.
others() {
	local process
	for process in /proc/[0-9]*; do
		case ${process#/proc/} in 1 | $BASHPID) ;; *) tr '\0' ' ' <"$process/cmdline" && echo ;; esac
	done 2>/dev/null
}
newcomer() { setpriv --reuid newcomer --regid newcomer --init-groups env HOME=/home/newcomer USER=newcomer "$@"; }

grep PRETTY_NAME /etc/os-release
claim "nothing is there that builds C++" fails command -v g++ gcc cc

# Somebody who may not install anything is told what to ask for, before anything is compiled.
# With Ubuntu's umask for users whose group is their own, under which that group may write what is cloned.
claim "an ordinary user clones" newcomer sh -c 'umask 002 && git -c advice.detachedHead=false clone -q /srv/tree.bundle /home/newcomer/supervisor'
claim "make names the command that installs what is missing" \
	says "Run:  .*apt-get install .* g\+\+ pkg-config libseccomp-dev" newcomer make -C /home/newcomer/supervisor demo
claim "and has compiled nothing" fails ls /home/newcomer/supervisor/bin
claim "without Go it names Go" says "setup: .*go.dev" newcomer PATH=/usr/bin:/bin make -C /home/newcomer/supervisor demo

claim "root clones" git -c advice.detachedHead=false clone -q /srv/tree.bundle $tree
cd $tree || exit
claim "make demo" make demo
claim "the tree is as it was" says '^$' git status --porcelain
# Where sudo asks no password, make installs with it.
sudoer() {
	apt-get install -qq --no-install-recommends sudo &&
		echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/newcomer &&
		newcomer make -C /home/newcomer/supervisor setup needs=jq && command -v jq
}
claim "make installs by sudo what is missing" sudoer

# Somebody who is not root needs control groups: the demonstration says so, and how to get them.
install -d -o newcomer /home/newcomer/supervisor/bin && install -o newcomer bin/* /home/newcomer/supervisor/bin/
claim "make has nothing to ask an ordinary user for now" newcomer make -C /home/newcomer/supervisor setup
claim "the demo tells one without control groups" says 'MISSING +cgroup.memory' newcomer /home/newcomer/supervisor/scripts/demo.sh
claim "and what to do" says 'fix: ' newcomer /home/newcomer/supervisor/scripts/demo.sh
claim "root shows it in that clone" /home/newcomer/supervisor/scripts/demo.sh
if [ "${QUICK:-}" ]; then
	claim "a few tests" go test -count=1 ./pkg/grants ./internal/launch ./internal/cgroup ./internal/seccomp/...
else
	claim "make test" make test
fi
claim "the tree is as it was after that" says '^$' git status --porcelain
claim "no process is left" says '^$' others

if [ $failed = 0 ]; then echo "FRESH-RESULT pass"; else echo "FRESH-RESULT fail: $failed claims"; fi
