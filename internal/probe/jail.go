//go:build probe && linux

package probe

// jailMay tells what a granted command may do although a realm may not, and
// why. Everything else is refused to both.
var jailMay = map[string]string{
	"files/open/etc/passwd":                "a file made for the jail, with one user",
	"files/openup/up/up/up/etc/passwd":     "a file made for the jail, with one user",
	"files/open/proc/self/root/etc/passwd": "a file made for the jail, with one user",
	"files/stat-host":                      "a file made for the jail, with one user",
	"files/statx-host":                     "a directory made for the jail",
	"files/leave-root":                     "finds the jail's own file",
	"files/list-root":                      "lists the jail's own root",
	"files/statfs":                         "shows the jail's own file system",
	"files/open/proc/self/status":          "processes of the jail's own namespace",
	"files/open/proc/self/exe":             "its own executable, to read",
	"files/open/proc/self/ns/net":          "its own namespaces; entering them is refused",
	"files/open/dev/null":                  "a device without state",
	"files/open/dev/urandom":               "a device without state",
	"files/open/tmp":                       "its own",
	"files/open/bin/sh":                    "system directories, to read",
	"files/open/lib":                       "system directories, to read",

	"processes/fork":            "programs start programs",
	"processes/vfork":           "programs start programs",
	"processes/clone-parent":    "a sibling dies with the jail",
	"processes/exec-shell":      "programs start programs, of those that the jail holds",
	"processes/pidfd-open-self": "its own",
	"processes/setsid":          "a session of its own",
	"processes/affinity":        "its control group bounds it on any processor",
	"signals/kill-parent":       "the jail's own first process, which is deaf to it",
	"signals/timer":             "its own",
	"signals/itimer":            "its own",
	"signals/alarm":             "its own",
	"signals/signalfd":          "its own",

	"memory/pkey": "protects a program's memory from itself, where the processor has keys",

	"privileges/seccomp-filter":   "a further filter only narrows",
	"privileges/seccomp-listener": "a further filter only narrows",
	"privileges/landlock":         "a further rule set only narrows",
	"privileges/make-dumpable":    "its own attribute",

	"memory/shared-anonymous": "its own processes share it",
	"memory/map-growsdown":    "its own",
	"memory/seal":             "its own",
	"memory/arch-prctl":       "its own",

	"sockets/pair": "between its own processes",

	"descriptors/lock-null":     "a lock on a device that nobody else locks",
	"disclosure/sysinfo":        "the kernel tells everybody",
	"disclosure/pipe-numbers":   "the kernel tells everybody",
	"disclosure/children-usage": "its own children",
	"disclosure/process-clocks": "its own processes",
	"disclosure/processor":      "an instruction tells it as well",
	"disclosure/parent":         "the jail's own first process",
}
