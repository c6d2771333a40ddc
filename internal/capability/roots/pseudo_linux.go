package roots

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// pseudo are the file systems whose files are windows into the kernel and into this very process (/proc/self/environ).
// Reading or writing some of them has effects.
var pseudo = [...]struct {
	magic uint32 // statfs
	name  string // in mountinfo
}{
	{unix.PROC_SUPER_MAGIC, "proc"},
	{unix.SYSFS_MAGIC, "sysfs"},
	{unix.CGROUP_SUPER_MAGIC, "cgroup"},
	{unix.CGROUP2_SUPER_MAGIC, "cgroup2"},
	{unix.DEBUGFS_MAGIC, "debugfs"},
	{unix.TRACEFS_MAGIC, "tracefs"},
	{unix.SECURITYFS_MAGIC, "securityfs"},
	{unix.SELINUX_MAGIC, "selinuxfs"},
	{unix.SMACK_MAGIC, "smackfs"},
	{unix.AAFS_MAGIC, "apparmorfs"},
	{unix.BPF_FS_MAGIC, "bpf"},
	{unix.DEVPTS_SUPER_MAGIC, "devpts"},
	{mqueueMagic, "mqueue"},
	{configfsMagic, "configfs"},
	{fusectlMagic, "fusectl"},
	{unix.EFIVARFS_MAGIC, "efivarfs"},
	{unix.PSTOREFS_MAGIC, "pstore"},
	{unix.BINFMTFS_MAGIC, "binfmt_misc"},
	{unix.NSFS_MAGIC, "nsfs"},
	{unix.PID_FS_MAGIC, "pidfs"},
	{unix.SOCKFS_MAGIC, "sockfs"},
	{unix.PIPEFS_MAGIC, "pipefs"},
	{unix.ANON_INODE_FS_MAGIC, "anon_inodefs"},
	{unix.BDEVFS_MAGIC, "bdev"},
	{unix.GUEST_MEMFD_MAGIC, "guest_memfd"},
	{unix.RDTGROUP_SUPER_MAGIC, "resctrl"},
	{unix.HUGETLBFS_MAGIC, "hugetlbfs"},
	{unix.DEVMEM_MAGIC, "devmem"},
	{unix.DMA_BUF_MAGIC, "dmabuf"},
	{unix.SECRETMEM_MAGIC, "secretmem"},
	{unix.XENFS_SUPER_MAGIC, "xenfs"},
	{unix.USBDEVICE_SUPER_MAGIC, "usbfs"},
	{unix.OPENPROM_SUPER_MAGIC, "openpromfs"},
	{functionfsMagic, "functionfs"},
	{unix.BINDERFS_SUPER_MAGIC, "binder"},
	{rpcPipefsMagic, "rpc_pipefs"},
	{nfsdMagic, "nfsd"},
	{unix.AUTOFS_SUPER_MAGIC, "autofs"},
}

// Magic numbers that x/sys does not carry; each is from the file system's source in the kernel.
const (
	mqueueMagic     = 0x19800202
	configfsMagic   = 0x62656570
	fusectlMagic    = 0x65735543
	functionfsMagic = 0xa647361
	rpcPipefsMagic  = 0x67596969
	nfsdMagic       = 0x6e667364
)

// Pseudo names the pseudo file system that what fd holds lies on, or is "".
func Pseudo(fd int) (string, error) {
	var fs unix.Statfs_t
	for {
		err := unix.Fstatfs(fd, &fs)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return "", os.NewSyscallError("fstatfs", err)
		}
	}
	for _, p := range pseudo {
		if p.magic == uint32(fs.Type) {
			return p.name, nil
		}
	}
	return "", nil
}

// PseudoMounts is where pseudo file systems are mounted. The mount table tells, for a look at a file system could wait
// for its server.
func PseudoMounts() (found []string, err error) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("find what is mounted: %w", err)
	}
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(table)) {
		mount, rest, _ := strings.Cut(line, " - ")
		fields := strings.Fields(mount)
		if len(fields) < 5 {
			continue
		}
		name, _, _ := strings.Cut(rest, " ")
		for _, p := range pseudo {
			if p.name == name {
				found = append(found, unescape.Replace(fields[4]))
			}
		}
	}
	return found, nil
}
