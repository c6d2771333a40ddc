#!/bin/bash
# install.sh install|stage|uninstall: puts what `make build` made, with its service, where it belongs, or takes it away.
# PREFIX (/usr/local) and DESTDIR as usual. `stage` is for packages: it changes nothing but files below DESTDIR.
set -euo pipefail
cd "$(dirname "$0")/.."
action=$1 prefix=${PREFIX:-/usr/local} dest=${DESTDIR:-}
bin=$prefix/bin libexec=$prefix/libexec/supervisor share=$prefix/share
if [ "$prefix" = /usr ]; then units=/usr/lib/systemd sysusers=/usr/lib/sysusers.d; else units=/etc/systemd sysusers=/etc/sysusers.d; fi
unit=$units/system

# place MODE FILE TARGET: with the directories of this installation written in.
place() {
	install -D -m "$1" "$2" "$dest$3"
	case $2 in packaging/*) sed -i "s|@BINDIR@|$bin|g; s|@LIBEXECDIR@|$prefix/libexec|g" "$dest$3" ;; esac
}

targets() {
	echo "$bin/supervisor" "$libexec/realm" "$libexec/traces" "$unit/supervisor.service" "$unit/supervisor.socket" "$units/user/supervisor.service" "$sysusers/supervisor.conf" \
		/etc/logrotate.d/supervisor /etc/apparmor.d/supervisor-realm \
		"$share/bash-completion/completions/supervisor" "$share/zsh/site-functions/_supervisor" "$share/fish/vendor_completions.d/supervisor.fish"
}

files() {
	place 755 bin/supervisor "$bin/supervisor"
	place 755 bin/realm "$libexec/realm"
	place 755 bin/traces "$libexec/traces"
	place 644 packaging/systemd/supervisor.service "$unit/supervisor.service"
	place 644 packaging/systemd/supervisor.socket "$unit/supervisor.socket"
	place 644 packaging/systemd/user/supervisor.service "$units/user/supervisor.service"
	place 644 packaging/sysusers/supervisor.conf "$sysusers/supervisor.conf"
	place 644 packaging/logrotate/supervisor /etc/logrotate.d/supervisor
	place 644 packaging/apparmor/supervisor-realm /etc/apparmor.d/supervisor-realm
	if [ ! -e "$dest/etc/supervisor/policy.yaml" ]; then # what the operator wrote stays
		place 644 packaging/policy.yaml /etc/supervisor/policy.yaml
	fi
	for page in dist/manual/man/*.1; do
		install -D -m 644 "$page" "$dest$share/man/man1/$(basename "$page")"
	done
	place 644 dist/manual/completions/supervisor.bash "$share/bash-completion/completions/supervisor"
	place 644 dist/manual/completions/_supervisor "$share/zsh/site-functions/_supervisor"
	place 644 dist/manual/completions/supervisor.fish "$share/fish/vendor_completions.d/supervisor.fish"
}

running() { [ -z "$dest" ] && [ -d /run/systemd/system ]; }

case $action in
stage) files ;;
install)
	files
	[ -z "$dest" ] || exit 0
	getent passwd supervisor >/dev/null || useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin supervisor
	if [ -e /sys/kernel/security/apparmor/profiles ] && command -v apparmor_parser >/dev/null; then
		apparmor_parser -r /etc/apparmor.d/supervisor-realm || true # older ones know no userns and need none
	fi
	if running; then
		systemctl daemon-reload
		systemctl try-restart supervisor.service
		echo "installed; start it with: systemctl enable --now supervisor.socket supervisor.service"
	fi
	;;
uninstall)
	if running; then
		systemctl disable --now supervisor.service supervisor.socket 2>/dev/null || true
	fi
	for file in $(targets); do rm -f "$dest$file"; done
	rm -f "$dest$share"/man/man1/supervisor.1 "$dest$share"/man/man1/supervisor-*.1
	rmdir "$dest$libexec" 2>/dev/null || true
	if running; then systemctl daemon-reload; fi
	echo "removed; left are the policy in $dest/etc/supervisor, the audit log in $dest/var/log/supervisor, and the user supervisor"
	;;
*)
	echo "usage: install.sh install|stage|uninstall" >&2
	exit 2
	;;
esac
