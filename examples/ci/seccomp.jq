# A container engine's own seccomp profile, with what the supervisor's realms are made by allowed; the last three calls are
# for granted commands alone.
#   Docker:  curl -fsS https://raw.githubusercontent.com/moby/profiles/main/seccomp/default.json | jq -f seccomp.jq > supervisor.json
#   Podman:  jq -f seccomp.jq /usr/share/containers/seccomp.json > supervisor.json
["clone3", "unshare", "mount", "umount2", "pivot_root", "sethostname", "setdomainname", "keyctl", "pidfd_getfd",
 "open_tree", "move_mount", "mount_setattr"] as $calls
| .syscalls |= map(if .action == "SCMP_ACT_ERRNO" then .names -= $calls else . end | select(.names != []))
| .syscalls += [{names: $calls, action: "SCMP_ACT_ALLOW"}]
