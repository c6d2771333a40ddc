# The package, its unit, and a run as root and as an ordinary user. Sourced by guest.sh before anything that needs the service.
# Emulated on a busy host, a self-check may take longer than the watchdog waits.
mkdir -p /etc/systemd/system/supervisor.service.d
printf '[Service]\nWatchdogSec=600\nTimeoutStartSec=600\n' >/etc/systemd/system/supervisor.service.d/emulation.conf

claim "the package installs" dpkg -i "$here"/supervisor.deb
claim "its service starts" active
claim "it says so" says 'runs live' systemctl show -p StatusText supervisor
claim "it runs as a user of its own" says '^supervisor' ps -o user= -p "$(systemctl show -p MainPID --value supervisor)"
claim "it stands in a leaf of its unit" says 'supervisor.service/supervisor$' cat "/proc/$(systemctl show -p MainPID --value supervisor)/cgroup"
claim "its socket is for its group alone" says '^660 supervisor supervisor$' stat -c '%a %U %G' $socket
claim "the unit's exposure is 3.0 at most" systemd-analyze security --offline=yes --threshold=30 /usr/lib/systemd/system/supervisor.service

echo 'export default (a) => 6 * Number(a)' >/tmp/six.ts
claim "doctor is content, as root" supervisor doctor
claim "and leaves no control group" fails test -e /sys/fs/cgroup/realm-supervisor
claim "a run, as root" says '^42$' supervisor run /tmp/six.ts -- 7
claim "doctor is content, as an ordinary user with delegation" delegated 2000 /usr/bin/supervisor doctor
claim "a run, as an ordinary user with delegation" says '^42$' delegated 2000 /usr/bin/supervisor run /tmp/six.ts -- 7
claim "a run without delegation is refused by name" says 'UNENFORCEABLE.*cgroup' as 2000 supervisor run /tmp/six.ts
