package main

import "strings"

// attacks are the tests of pkg/supervisor that count, as -run takes them.
const attacks = "^(TestHostileJavaScriptIsContained|TestARealmThatBreaksTheProtocolIsKilled|TestARealmThatIsNotConfinedGetsNoSource|" +
	"TestWhatCannotBeEnforcedDoesNotRun|TestWhatAGrantOrAPolicyNeedsIsNotDoneWithout|TestWaivedLayersAreToldEverywhere|TestWhatTheSupervisorItselfLacks|" +
	"TestNothingIsLeftOfWhatIsKilledAtAnyMoment|TestNothingIsLeftOfWhatIsKilledDuringACall|TestNothingIsLeftOfWhatIsKilledAtAnyStep)$"

// step is one invocation of go test.
type step struct {
	name string
	args []string // of go test
	own  []string // of the test binary
}

// steps lists them; dir is for what they leave.
func steps(dir string) []step {
	return []step{
		{"native probes", []string{"-tags=probe", "-run=^(TestNoProbe|TestProbes)", "./internal/probe"}, nil},
		{"frames, values, messages", []string{"./pkg/rpc", "./pkg/value", "./internal/broker"}, nil},
		{"as root", []string{"-run=" + attacks + "|^TestWithoutDelegationNothingRuns$", "./pkg/supervisor"}, nil},
		{"as an ordinary user", []string{"-run=^TestAttacksRootless$", "./pkg/supervisor"}, []string{"-rootless=" + attacks}},
		{"filters", []string{"./internal/seccomp/..."}, nil},
		{"rows of the filters", []string{"-run=^(TestRowsAreThoseThatRunsNeed|TestOrdinaryProgramsRunUnderTheCommandFilter)$", "./internal/seccomp"}, []string{"-recordings=" + dir}},
		{"threat model, seeds of the decoders", []string{"-run=^(TestEveryThreat|TestEveryAttack|Fuzz)", "./internal/architecture", "./internal/capability/filesystem", "./internal/capability/network",
			"./internal/cli", "./internal/document", "./internal/engine/erase", "./internal/redact", "./internal/service", "./pkg/audit", "./pkg/grants", "./pkg/policy"}, nil},
	}
}

// section is a part of the document: the groups whose names begin with one of these.
type section struct {
	title, about string
	groups       []string
	modes        []string // that must have run
}

func sections() []section {
	both, either := []string{"root", "rootless"}, []string{"either"}
	return []section{
		{"Native attacks", "Hostile machine code in place of the engine, launched as a realm is: behind every layer (`all`), without a JIT (`jitless`), behind every layer but the filter (`bare`), and as a granted command (`jail`). See `internal/probe`. On unified control groups those that are not generated run in the virtual machine of `make test-vm`, which tells what became of them; they are not counted here.", []string{"native-"}, both},
		{"Protocol attacks", "A hostile peer at the supervisor's end of the pipes. The first table's are pure functions of bytes and the same for every user.", []string{"protocol"}, append(both, either...)},
		{"JavaScript attacks", "Hostile sources, arguments, results and names; after each the next run must find its realm unharmed. See `pkg/supervisor/attack_*_test.go`.", []string{"javascript"}, both},
		{"Fail-closed matrix", "Each layer was made unavailable. Contained: the run refused with the layer's name, doctor agreed, no guest byte was sent, nothing was left. A waiver is contained when receipt, record and standard error name it.", []string{"fail-closed", "waived"}, both},
		{"Crash safety", "Contained: whoever was killed, no process lives on, no file is half written, the record verifies, and the next start finds nothing or removes it. `steps` kills the process that a step names when it, or another that it waits for, is about to make a certain system call, `kills-during-calls` while calls are under way, `kills` at random moments (REALM_LONG=1: a thousand).", []string{"steps", "kills"}, both},
		{"Filters", "Program and table were asked about every call with the boundary values of its checked arguments, on each architecture's number. Contained: they agree.", []string{"filter"}, either},
	}
}

func (s section) holds(group string) bool {
	for _, prefix := range s.groups {
		if strings.HasPrefix(group, prefix) {
			return true
		}
	}
	return false
}
