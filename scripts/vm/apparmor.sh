# The AppArmor profile. Debian's kernel has no switch that restricts unprivileged user namespaces, as Ubuntu's has, but asks
# AppArmor about those of a program that a profile names: that this is the profile which counts is seen by replacing it.
# Sourced by guest.sh.
profiles=/sys/kernel/security/apparmor/profiles
claim "AppArmor is on" test -e $profiles
claim "the package loads its profile" says '^supervisor-realm ' cat $profiles
spawner() { cat "/proc/$(pgrep -P "$(systemctl show -p MainPID --value supervisor)" -f realm-spawner)/attr/current"; }
claim "the service's spawner has it, in spite of no_new_privs" says '^supervisor-realm' spawner
systemctl stop supervisor.socket supervisor.service
# Everything but user namespaces: what is not named is denied.
printf 'abi <abi/4.0>,\nprofile supervisor-realm /usr/libexec/supervisor/realm flags=(attach_disconnected,mediate_deleted) {\n /** mrwlkix,\n file,\n capability,\n network,\n unix,\n signal,\n ptrace,\n mount,\n umount,\n pivot_root,\n}\n' >/run/restricted
claim "a profile that denies them is loaded" apparmor_parser -r /run/restricted
claim "under it nothing runs, and userns is named" says 'UNENFORCEABLE.*userns' delegated 2000 /usr/bin/supervisor run --ci /tmp/six.ts -- 7
claim "the package's own is loaded again" apparmor_parser -r /etc/apparmor.d/supervisor-realm
claim "and a source runs" says '^42$' delegated 2000 /usr/bin/supervisor run --ci /tmp/six.ts -- 7
systemctl start supervisor.socket supervisor.service
claim "the service is back" active
