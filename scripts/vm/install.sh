# `make install` and `make uninstall` where no package is. Sourced by guest.sh, after the package is gone.
cp -r "$here/tree" /tmp/tree
mkdir /tmp/tree/bin
cp "$here"/package/usr/bin/supervisor "$here"/package/usr/libexec/supervisor/* /tmp/tree/bin/
made() { make -s -C /tmp/tree -o build -o manual "$@"; } # nothing is built here
everything() { find / -xdev \( -path /tmp -o -path /run -o -path /var/log -o -path /var/lib/systemd \) -prune -o -type f -newer /tmp/before -print; }
touch /tmp/before
claim "make install into a directory touches nothing else" sh -c "$(declare -f made everything); made install DESTDIR=/tmp/dest && test -x /tmp/dest/usr/local/bin/supervisor && test -z \"\$(everything)\""
claim "make uninstall there leaves the policy alone" sh -c "$(declare -f made); made uninstall DESTDIR=/tmp/dest && find /tmp/dest -type f | grep -v /etc/supervisor/policy.yaml | wc -l | grep -qx 0"
claim "make install" made install
claim "the service starts" sh -c 'systemctl enable --now supervisor.socket supervisor.service && systemctl is-active supervisor'
claim "from where it was installed" says '^/usr/local/bin/supervisor$' sh -c 'readlink /proc/$(systemctl show -p MainPID --value supervisor)/exe'
claim "it is ready" says ready api /readyz
claim "make uninstall says what it leaves" says 'left are the policy .*, the audit log' made uninstall
claim "and leaves nothing else" sh -c '! ls -d /usr/local/bin/supervisor /usr/local/libexec/supervisor /etc/systemd/system/supervisor.* /etc/systemd/user/supervisor.service /usr/local/share/man/man1/supervisor* /etc/apparmor.d/supervisor-realm /etc/logrotate.d/supervisor 2>/dev/null'
claim "no process is left then" gone
