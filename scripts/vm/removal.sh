# Upgrade, removal and purge. Sourced by guest.sh when nothing needs the service any more.
claim "an upgrade keeps the policy" sh -c "dpkg -i '$here'/supervisor.deb && grep -q 'uid: 2001' $policy"
claim "removal" dpkg -r supervisor-realm
claim "leaves the policy" test -e $policy
claim "purge" dpkg -P supervisor-realm
claim "leaves nothing but the audit log" sh -c 'test -e /var/log/supervisor/audit.log && ! ls -d /etc/supervisor /run/supervisor/supervisor.sock /usr/bin/supervisor /usr/libexec/supervisor /usr/lib/systemd/system/supervisor.* 2>/dev/null'
claim "which is root's" test "$(stat -c %U:%a /var/log/supervisor/audit.log)" = root:600
claim "no process is left" gone
