# The AppArmor profile, on a kernel that can restrict user namespaces by it. Sourced by guest.sh.
profiles=/sys/kernel/security/apparmor/profiles
claim "AppArmor is on" test -e $profiles
claim "the package loads its profile" says '^supervisor-realm ' cat $profiles
ls /proc/sys/kernel | grep -i -e apparmor -e userns
