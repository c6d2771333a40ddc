# The service of an ordinary user: a unit of that user's systemd, with a control group that it delegates. Sourced by guest.sh.
loginctl enable-linger ordinary
runtime=/run/user/2000
session() { for _ in $(seq 600); do [ -S $runtime/systemd/private ] && return; sleep 0.2; done; systemctl status user@2000 --no-pager; return 1; }
mine() { setpriv --reuid 2000 --regid 2000 --init-groups env HOME=/home/ordinary XDG_RUNTIME_DIR=$runtime DBUS_SESSION_BUS_ADDRESS=unix:path=$runtime/bus "$@"; }
claim "the user has a systemd" session
install -d -o 2000 -g 2000 /home/ordinary /home/ordinary/.config /home/ordinary/.config/supervisor
printf 'version: 1\nrequiredLayers: [cgroup.memory, cgroup.pids, cgroup.cpu, cgroup.kill]\ncallers: [{uid: 2000, grants: true}]\naudit: [{file: /home/ordinary/audit.log}]\n' >/home/ordinary/.config/supervisor/policy.yaml
chown 2000:2000 /home/ordinary/.config/supervisor/policy.yaml
mine systemctl --user daemon-reload
claim "its unit starts" mine systemctl --user start supervisor
claim "below the user's own manager" says 'user@2000.service/app.slice/supervisor.service/supervisor$' sh -c 'cat /proc/$(pgrep -u 2000 -f "supervisor serve")/cgroup'
own() { mine curl -sS --max-time 60 --unix-socket $runtime/supervisor.sock "http://service$1" "${@:2}"; }
claim "it runs sources" says '"value":42' own /v1/runs -d '{"source":"6*7"}'
claim "and limits them" says '"code":"OOM"' own /v1/runs -d '{"source":"const a=[]; for(;;) a.push(new Uint8Array(1<<24).fill(7))","grants":{},"limits":{"realmMemoryMb":200}}'
claim "nobody else connects" fails as 2001 curl -sS --unix-socket $runtime/supervisor.sock http://service/healthz
claim "it stops" mine systemctl --user stop supervisor
claim "and leaves nothing" sh -c '! pgrep -u 2000 -f realm && ! ls -d /sys/fs/cgroup/user.slice/user-2000.slice/user@2000.service/app.slice/supervisor.service 2>/dev/null'
loginctl disable-linger ordinary
