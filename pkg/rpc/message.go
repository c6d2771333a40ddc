package rpc

import "fmt"

// Message is the body of one op: an array of fields in the order of its struct.
type Message interface {
	Op() Op
	encode(*encoder)
	decode(*decoder)
}

// Ready is the realm's first message: it is confined and waits for a source.
type Ready struct {
	Protocol int64
	Build    string
	V8       string
	// SeccompSHA256 is the hex digest of the filter that was loaded.
	SeccompSHA256 string
}

// Console is one call of a console method. Level is log, info, warn, error or debug.
type Console struct{ Level, Message string }

// Status is one reportStatus call.
type Status struct{ Stage, Message string }

// Result ends a run: the encoded value (see pkg/value) and V8's used heap.
type Result struct {
	HeapBytes int64
	Value     Raw
}

// Failure ends a run: what the guest threw, or what the engine refused.
type Failure struct {
	// Code is RUNTIME, VALIDATION, DENIED, TIMEOUT, OOM, DEADLOCK or ABORTED.
	Code string
	// Phase is compile, run or serialize.
	Phase                string
	Name, Message, Stack string
	// Line and Column are 1-based positions in the user's source, 0 if unknown.
	Line, Column int64
	// Capability, Target and Hint are those of an uncaught denial.
	Capability, Target, Hint string
	// Pending names operations that were waited for, as in "network https://…".
	Pending []string
	// Thrown is the encoded value that was thrown, when it can cross.
	Thrown    Raw
	HeapBytes int64
}

// Execute starts the run. It is the only source a realm ever gets.
type Execute struct {
	Source []byte
	// Name is the file name that stacks show.
	Name string
	// Mode is auto, module, script or function.
	Mode string
	// Args is an encoded array; Input an encoded value, nil when absent.
	Args, Input Raw
	// Tools are the names that become globals.
	Tools []string
	// TimeZone is an IANA name.
	TimeZone string
	Modules  []Module
	Wasm     []Wasm
	Limits   Limits
}

// Module is one file of the import map. Every specifier in Specifiers resolves
// to it; relative imports resolve among the Paths of the same Package.
type Module struct {
	Specifier string
	Package   string
	Path      string
	Source    []byte
}

// Wasm is one WebAssembly grant: the binary and the script that binds it.
type Wasm struct {
	Name            string
	Binary, Binding []byte
}

// Limits are those that the realm applies itself; the supervisor checks them
// again where it can.
type Limits struct {
	MemoryMb        int64
	MaxResultBytes  int64
	MaxWriteBytes   int64
	MaxDataBytes    int64
	MaxLogBytes     int64
	MaxConsoleCalls int64
	MaxStatusEvents int64
}

// Reply answers a call: a value, or an error of one of the Kinds.
type Reply struct {
	OK    bool
	Value Raw
	Error ReplyError
}

// Kinds of ReplyError.
const (
	KindDenied    = "denied"    // SandboxDeniedError
	KindOperation = "operation" // SandboxOperationError
	KindAborted   = "aborted"   // SandboxAbortedError
	KindTool      = "tool"      // the host tool's own error
)

// ReplyError becomes the error that the guest's promise rejects with.
type ReplyError struct {
	Kind, Code, Message, Capability, Target, Hint string
}

func (*Ready) Op() Op   { return OpReady }
func (*Console) Op() Op { return OpConsole }
func (*Status) Op() Op  { return OpStatus }
func (*Result) Op() Op  { return OpResult }
func (*Failure) Op() Op { return OpFailure }
func (*Execute) Op() Op { return OpExecute }
func (*Reply) Op() Op   { return OpReply }

func (m *Ready) encode(e *encoder) {
	e.array(4)
	e.int(m.Protocol)
	e.str(m.Build)
	e.str(m.V8)
	e.str(m.SeccompSHA256)
}

func (m *Ready) decode(d *decoder) {
	d.fields(4)
	d.int(&m.Protocol)
	d.str(&m.Build)
	d.str(&m.V8)
	d.str(&m.SeccompSHA256)
}

func (m *Console) encode(e *encoder) { e.array(2); e.str(m.Level); e.str(m.Message) }
func (m *Console) decode(d *decoder) {
	d.fields(2)
	d.str(&m.Level)
	d.str(&m.Message)
}

func (m *Status) encode(e *encoder) { e.array(2); e.str(m.Stage); e.str(m.Message) }
func (m *Status) decode(d *decoder) {
	d.fields(2)
	d.str(&m.Stage)
	d.str(&m.Message)
}

func (m *Result) encode(e *encoder) { e.array(2); e.int(m.HeapBytes); e.raw(m.Value) }
func (m *Result) decode(d *decoder) {
	d.fields(2)
	d.size(&m.HeapBytes)
	d.value(&m.Value)
}

func (m *Failure) encode(e *encoder) {
	e.array(13)
	for _, s := range []string{m.Code, m.Phase, m.Name, m.Message, m.Stack} {
		e.str(s)
	}
	e.int(m.Line)
	e.int(m.Column)
	for _, s := range []string{m.Capability, m.Target, m.Hint} {
		e.str(s)
	}
	e.strs(m.Pending)
	e.raw(m.Thrown)
	e.int(m.HeapBytes)
}

func (m *Failure) decode(d *decoder) {
	d.fields(13)
	d.str(&m.Code)
	d.str(&m.Phase)
	d.str(&m.Name)
	d.str(&m.Message)
	d.str(&m.Stack)
	d.size(&m.Line)
	d.size(&m.Column)
	d.str(&m.Capability)
	d.str(&m.Target)
	d.str(&m.Hint)
	d.strs(&m.Pending)
	d.value(&m.Thrown)
	d.size(&m.HeapBytes)
}

func (m *Reply) encode(e *encoder) {
	if m.OK {
		e.array(2)
		e.bool(true)
		e.raw(m.Value)
		return
	}
	e.array(7)
	e.bool(false)
	for _, s := range []string{m.Error.Kind, m.Error.Code, m.Error.Message, m.Error.Capability, m.Error.Target, m.Error.Hint} {
		e.str(s)
	}
}

func (m *Reply) decode(d *decoder) {
	n := d.array()
	d.bool(&m.OK)
	r := &m.Error
	switch {
	case m.OK && n == 2:
		d.value(&m.Value)
	case !m.OK && n == 7:
		each([]*string{&r.Kind, &r.Code, &r.Message, &r.Capability, &r.Target, &r.Hint}, d.str)
	default:
		d.keep(fmt.Errorf("a reply of %d fields", n))
	}
}

func (m *Execute) encode(e *encoder) {
	e.array(10)
	e.bin(m.Source)
	e.str(m.Name)
	e.str(m.Mode)
	e.raw(m.Args)
	e.optional(m.Input)
	e.strs(m.Tools)
	e.str(m.TimeZone)
	e.array(len(m.Modules))
	for _, v := range m.Modules {
		e.array(4)
		e.str(v.Specifier)
		e.str(v.Package)
		e.str(v.Path)
		e.bin(v.Source)
	}
	e.array(len(m.Wasm))
	for _, v := range m.Wasm {
		e.array(3)
		e.str(v.Name)
		e.bin(v.Binary)
		e.bin(v.Binding)
	}
	l := m.Limits
	e.array(7)
	for _, n := range []int64{l.MemoryMb, l.MaxResultBytes, l.MaxWriteBytes, l.MaxDataBytes, l.MaxLogBytes, l.MaxConsoleCalls, l.MaxStatusEvents} {
		e.int(n)
	}
}

func (m *Execute) decode(d *decoder) {
	d.fields(10)
	d.bin(&m.Source)
	d.str(&m.Name)
	d.str(&m.Mode)
	d.raw(&m.Args)
	d.optional(&m.Input)
	d.strs(&m.Tools)
	d.str(&m.TimeZone)
	m.decodeModules(d)
	m.decodeWasm(d)
	m.Limits.decode(d)
}

func (m *Execute) decodeModules(d *decoder) {
	for range d.array() {
		var v Module
		d.fields(4)
		d.str(&v.Specifier)
		d.str(&v.Package)
		d.str(&v.Path)
		d.bin(&v.Source)
		m.Modules = append(m.Modules, v)
	}
}

func (m *Execute) decodeWasm(d *decoder) {
	for range d.array() {
		var v Wasm
		d.fields(3)
		d.str(&v.Name)
		d.bin(&v.Binary)
		d.bin(&v.Binding)
		m.Wasm = append(m.Wasm, v)
	}
}

func (l *Limits) decode(d *decoder) {
	d.fields(7)
	d.size(&l.MemoryMb)
	d.size(&l.MaxResultBytes)
	d.size(&l.MaxWriteBytes)
	d.size(&l.MaxDataBytes)
	d.size(&l.MaxLogBytes)
	d.size(&l.MaxConsoleCalls)
	d.size(&l.MaxStatusEvents)
}
