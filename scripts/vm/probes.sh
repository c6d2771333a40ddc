# The native probes on unified control groups. Sourced by guest.sh.
placed
short=-test.short
grep -q vm.probes=all /proc/cmdline && short=
claim "native probes, as root" delegated 0 "$here/tests/probe" -test.timeout=90m $short -test.run=AsRoot
claim "native probes, as an ordinary user" delegated 2000 "$here/tests/probe" -test.timeout=90m $short -test.run=Rootless
