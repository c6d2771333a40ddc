package filesystem

import "golang.org/x/sys/unix"

// pseudoName says which pseudo file system f_type stands for, or "". Their files are windows into the kernel and into
// this very process (/proc/self/environ), and reading or writing some of them has effects.
func pseudoName(fType int64) string {
	switch uint32(fType) {
	case unix.PROC_SUPER_MAGIC:
		return "proc"
	case unix.SYSFS_MAGIC:
		return "sysfs"
	case unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC:
		return "cgroup"
	case unix.DEBUGFS_MAGIC:
		return "debugfs"
	case unix.TRACEFS_MAGIC:
		return "tracefs"
	case unix.SECURITYFS_MAGIC, unix.SELINUX_MAGIC, unix.SMACK_MAGIC, unix.AAFS_MAGIC:
		return "security"
	case unix.BPF_FS_MAGIC:
		return "bpf"
	case unix.DEVPTS_SUPER_MAGIC:
		return "devpts"
	case mqueueMagic:
		return "mqueue"
	case configfsMagic:
		return "configfs"
	case fusectlMagic:
		return "fusectl"
	case unix.EFIVARFS_MAGIC:
		return "efivarfs"
	case unix.PSTOREFS_MAGIC:
		return "pstore"
	case unix.BINFMTFS_MAGIC:
		return "binfmt_misc"
	case unix.NSFS_MAGIC, unix.PID_FS_MAGIC, unix.SOCKFS_MAGIC, unix.PIPEFS_MAGIC, unix.ANON_INODE_FS_MAGIC,
		unix.BDEVFS_MAGIC, unix.GUEST_MEMFD_MAGIC:
		return "kernel object"
	case unix.RDTGROUP_SUPER_MAGIC:
		return "resctrl"
	case unix.HUGETLBFS_MAGIC:
		return "hugetlbfs"
	case unix.DEVMEM_MAGIC, unix.DMA_BUF_MAGIC, unix.SECRETMEM_MAGIC:
		return "memory"
	case unix.XENFS_SUPER_MAGIC, unix.USBDEVICE_SUPER_MAGIC, unix.OPENPROM_SUPER_MAGIC, functionfsMagic, unix.BINDERFS_SUPER_MAGIC:
		return "device"
	case rpcPipefsMagic, nfsdMagic:
		return "nfs control"
	case unix.AUTOFS_SUPER_MAGIC:
		return "autofs"
	}
	return ""
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
