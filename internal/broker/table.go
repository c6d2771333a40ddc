package broker

import "realm.internal/supervisor/pkg/rpc"

// state of a run, as the broker sees it.
type state uint8

const (
	running  state = 1 << iota // the source was sent
	finished                   // a result or failure came: nothing may follow
)

// row says what one op may do.
type row struct {
	op     rpc.Op
	states state
	// max is the largest payload in bytes.
	max func(*Broker) int
	// capability is what the audit records; "" for messages that ask for nothing.
	capability string
	handle     func(*Broker, rpc.Frame) error
}

// fieldBytes bounds the fields of a call beside its data: paths, names, URLs,
// arguments. The realm refuses longer ones before it sends them.
const fieldBytes = 256 << 10

func small(*Broker) int        { return fieldBytes }
func writeSized(b *Broker) int { return fieldBytes + int(b.limits.MaxWriteBytes) }

// table lists what a realm may send once it has its source.
var table = [...]row{
	{rpc.OpConsole, running, logSized, "", (*Broker).console},
	{rpc.OpStatus, running, small, "", (*Broker).status},
	{rpc.OpResult, running, resultSized, "", (*Broker).result},
	{rpc.OpFailure, running, failureSized, "", (*Broker).failure},

	{rpc.OpEnvironment, running, small, "environment", environmentRead.handle},
	{rpc.OpSecret, running, small, "secret", secretRead.handle},
	{rpc.OpFilesystemRead, running, small, "filesystem.read", filesystemRead.handle},
	{rpc.OpFilesystemList, running, small, "filesystem.read", filesystemList.handle},
	{rpc.OpFilesystemStat, running, small, "filesystem.read", filesystemStat.handle},
	{rpc.OpFilesystemWrite, running, writeSized, "filesystem.write", filesystemWrite.handle},
	{rpc.OpFilesystemMakeDirectory, running, small, "filesystem.write", filesystemMakeDirectory.handle},
	{rpc.OpFilesystemRemove, running, small, "filesystem.write", filesystemRemove.handle},
	{rpc.OpNetworkFetch, running, writeSized, "network", networkFetch.handle},
	{rpc.OpSubprocessSpawn, running, writeSized, "subprocess", subprocessSpawn.handle},
	{rpc.OpToolRequest, running, writeSized, "tool", toolRequest.handle},
}

func logSized(b *Broker) int    { return fieldBytes + int(b.limits.MaxLogBytes) }
func resultSized(b *Broker) int { return fieldBytes + int(b.limits.MaxResultBytes) }

// failureSized leaves room for a thrown value, which the realm leaves out when
// it is larger than a result may be.
func failureSized(b *Broker) int { return 4*fieldBytes + int(b.limits.MaxResultBytes) }

func rowOf(op rpc.Op) *row {
	for i := range table {
		if table[i].op == op {
			return &table[i]
		}
	}
	return nil
}
