// Package layer names the isolation layers and the error that says one of
// them cannot be enforced.
//
// # Trust
//
// Nothing here reads input; the names are the vocabulary that doctor, receipts,
// policies and --allow-missing share.
//
// # Concurrency
//
// Values only.
package layer

// The layers, as receipts, policies and command line flags spell them.
const (
	UserNS       = "userns"
	PidNS        = "pidns"
	MountNS      = "mountns"
	NetNS        = "netns"
	IPCNS        = "ipcns"
	UTSNS        = "utsns"
	CgroupNS     = "cgroupns"
	RootFS       = "rootfs"
	Capabilities = "capabilities"
	NoNewPrivs   = "no_new_privs"
	Seccomp      = "seccomp"
	Descriptors  = "descriptors"
	Rlimits      = "rlimits"
	CgroupMemory = "cgroup.memory"
	CgroupPids   = "cgroup.pids"
	CgroupCPU    = "cgroup.cpu"
	Landlock     = "landlock"
	CgroupKill   = "cgroup.kill"
)

// OpenAt2 is no layer of a realm: grants of files and of commands are refused without it, nothing else is.
const OpenAt2 = "openat2"

// Commands is no layer of a realm either: what confines a granted command beyond it, which is a root of mounts.
const Commands = "commands"

// Need says what a missing layer means.
type Need uint8

const (
	Required     Need = iota // never missing
	Dispensable              // required, unless named in --allow-missing
	WherePresent             // used where the kernel has it
)

// All lists every layer in the order of reports.
func All() []string {
	return []string{
		UserNS, PidNS, MountNS, NetNS, IPCNS, UTSNS, CgroupNS,
		RootFS, Capabilities, NoNewPrivs, Seccomp, Descriptors, Rlimits,
		CgroupMemory, CgroupPids, CgroupCPU,
		Landlock, CgroupKill,
	}
}

// NeedOf classifies name; known is false for a name that is no layer.
func NeedOf(name string) (need Need, known bool) {
	switch name {
	case UserNS, PidNS, MountNS, NetNS, IPCNS, UTSNS, CgroupNS,
		RootFS, Capabilities, NoNewPrivs, Seccomp, Descriptors, Rlimits:
		return Required, true
	case CgroupMemory, CgroupPids, CgroupCPU:
		return Dispensable, true
	case Landlock, CgroupKill:
		return WherePresent, true
	}
	return Required, false
}
