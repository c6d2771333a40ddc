package launch

// Receipt is what the kernel said about one confined process.
type Receipt struct {
	Layers      map[string]LayerState `json:"layers"`
	UID         ReceiptUID            `json:"uid"`
	Namespaces  map[string]string     `json:"namespaces"` // "user": "user:[4026532301]", …
	Cgroup      ReceiptCgroup         `json:"cgroup"`
	Descriptors []ReceiptDescriptor   `json:"descriptors"`
	Tasks       int                   `json:"tasks"` // threads whose posture was read
}

// LayerState is one layer of a receipt.
type LayerState struct {
	State  string `json:"state"` // "enforced" or "missing"
	Detail string `json:"detail,omitempty"`
}

// The states of a layer.
const (
	Enforced    = "enforced"
	NotEnforced = "missing"
)

// ReceiptUID tells the ids of the process.
type ReceiptUID struct {
	Inside  uint32 `json:"inside"`
	Outside uint32 `json:"outside"`
}

// ReceiptCgroup tells the control group and its limits; 0 means no limit.
type ReceiptCgroup struct {
	Path        string  `json:"path"`
	MemoryBytes int64   `json:"memoryBytes"`
	Pids        int64   `json:"pids"`
	CPUs        float64 `json:"cpus"`
}

// ReceiptDescriptor is one open descriptor.
type ReceiptDescriptor struct {
	FD   int    `json:"fd"`
	Kind string `json:"kind"` // "null", "pipe", "eventpoll", "eventfd"
}
