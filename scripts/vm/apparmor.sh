# The AppArmor profile. Debian's kernel has no switch that restricts unprivileged user namespaces, as Ubuntu's has, but asks
# AppArmor about those of a program that a profile confines: what the profile's line does is seen by leaving it out.
# Sourced by guest.sh.
profiles=/sys/kernel/security/apparmor/profiles
claim "AppArmor is on" test -e $profiles
claim "the package loads its profile" says '^supervisor-realm ' cat $profiles
spawner() { cat "/proc/$(pgrep -P "$(systemctl show -p MainPID --value supervisor)" -f realm-spawner)/attr/current"; }
claim "the service's spawner has it, in spite of no_new_privs" says '^supervisor-realm' spawner
systemctl stop supervisor.socket supervisor.service
rules='file, capability, network, unix, signal, ptrace, mount, umount, pivot_root, mqueue, io_uring,'
printf 'abi <abi/4.0>,\nprofile supervisor-realm /usr/libexec/supervisor/realm {\n %s\n}\n' "$rules" >/run/restricted
claim "a profile without its line is loaded" apparmor_parser -r /run/restricted
claim "under it nothing runs, and userns is named" says 'UNENFORCEABLE.*userns' delegated 2000 /usr/bin/supervisor run /tmp/six.ts -- 7
printf 'abi <abi/4.0>,\nprofile supervisor-realm /usr/libexec/supervisor/realm {\n userns,\n %s\n}\n' "$rules" >/run/restricted
claim "with the line it is loaded" apparmor_parser -r /run/restricted
claim "and a source runs" says '^42$' delegated 2000 /usr/bin/supervisor run /tmp/six.ts -- 7
claim "the package's own is loaded again" apparmor_parser -r /etc/apparmor.d/supervisor-realm
systemctl start supervisor.socket supervisor.service
claim "the service is back" active
