package rpc

import "fmt"

// Op names what a frame is. Values are part of the protocol and below 128, so
// that an op is always the one payload byte after the array header.
type Op uint8

// Realm to supervisor.
const (
	OpReady   Op = 1
	OpConsole Op = 2
	OpStatus  Op = 3
	OpResult  Op = 4
	OpFailure Op = 5

	OpEnvironment             Op = 16
	OpSecret                  Op = 17
	OpFilesystemRead          Op = 18
	OpFilesystemList          Op = 19
	OpFilesystemStat          Op = 20
	OpFilesystemWrite         Op = 21
	OpFilesystemMakeDirectory Op = 22
	OpFilesystemRemove        Op = 23
	OpNetworkFetch            Op = 24
	OpSubprocessSpawn         Op = 25
	OpToolRequest             Op = 26
)

// Supervisor to realm.
const (
	OpExecute Op = 64
	OpReply   Op = 65
)

var opNames = map[Op]string{
	OpReady: "Ready", OpConsole: "Console", OpStatus: "Status", OpResult: "Result", OpFailure: "Failure",
	OpEnvironment: "Environment", OpSecret: "Secret",
	OpFilesystemRead: "FilesystemRead", OpFilesystemList: "FilesystemList", OpFilesystemStat: "FilesystemStat",
	OpFilesystemWrite: "FilesystemWrite", OpFilesystemMakeDirectory: "FilesystemMakeDirectory", OpFilesystemRemove: "FilesystemRemove",
	OpNetworkFetch: "NetworkFetch", OpSubprocessSpawn: "SubprocessSpawn", OpToolRequest: "ToolRequest",
	OpExecute: "Execute", OpReply: "Reply",
}

func (o Op) String() string {
	if s, ok := opNames[o]; ok {
		return s
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// Ops lists every op of the protocol.
func Ops() []Op {
	ops := make([]Op, 0, len(opNames))
	for o := Op(0); o < 128; o++ {
		if _, ok := opNames[o]; ok {
			ops = append(ops, o)
		}
	}
	return ops
}
