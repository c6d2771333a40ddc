# The kernel tests of this tree on unified control groups, as root and as an ordinary user in a group that systemd delegated
# to it. Sourced by guest.sh. What checks the language or documents is the same on every kernel and is left out, as is what
# starts hundreds of processes or needs many seconds of a real processor: emulation is slow.
kernel_runs='OOM|EndAtTheDeadline|CPULimit|IsKilled|Outlives|KilledSpawner|Receipt|NotConfined|Waived|InTheirJail|PseudoFile'
kernel_launches='OfAConfinedRealm|WithoutAGroup|SeesNothing|DonatedDescriptors|UsersOfTheirOwn|Trial|Outlives|Sweeps|ProcessesDie|ProcessesAlong|Descendants|JailOnly'
tests=$here/tests
placed
leaf=supervisor # tests start supervisors beside themselves, which need room beside a leaf
for user in 0 2000; do
	[ $user = 0 ] && who=root || who="an ordinary user"
	claim "control groups, as $who" delegated $user "$tests/cgroup" -test.timeout=15m "-test.skip=Signals|Rootless"
	claim "launching, as $who" delegated $user "$tests/launch" -test.timeout=15m -test.short "-test.run=$kernel_launches" -test.skip=Rootless
	claim "limits, receipts and deaths, as $who" delegated $user "$tests/supervisor" -test.timeout=15m -test.short "-test.run=$kernel_runs" "-test.skip=Rootless|Hardened|KilledAtAnyMoment|BreaksTheProtocol/(a_flood_of_words|a_flood_of_output|memory)"
done
