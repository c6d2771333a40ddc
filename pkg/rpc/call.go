package rpc

// Capability calls, realm to supervisor. Data that exceeds the limit which
// Execute named is not sent: Size then stands alone and the call is refused,
// charged and audited like any other.

// Environment asks for one variable.
type Environment struct{ Name string }

// Secret asks for one secret.
type Secret struct{ Name string }

// FilesystemRead asks for a file's bytes, or text when Text is set. Length -1
// reads to the end.
type FilesystemRead struct {
	Path           string
	Offset, Length int64
	Text           bool
}

// FilesystemList asks for a directory's entries.
type FilesystemList struct{ Path string }

// FilesystemStat asks for one entry's type, size and time.
type FilesystemStat struct{ Path string }

// FilesystemWrite replaces a file, or appends to it. Size is the length of the
// data; Data is nil when it is over maxWriteBytes.
type FilesystemWrite struct {
	Path   string
	Append bool
	Size   int64
	Data   []byte
}

// FilesystemMakeDirectory creates one directory.
type FilesystemMakeDirectory struct{ Path string }

// FilesystemRemove removes one file or empty directory.
type FilesystemRemove struct{ Path string }

// NetworkFetch asks for one HTTP request. Size and Body are as Size and Data of
// FilesystemWrite.
type NetworkFetch struct {
	Method, URL string
	Headers     [][2]string
	Size        int64
	Body        []byte
	// Text asks for a body that must be UTF-8 and comes back as a string.
	Text bool
}

// SubprocessSpawn asks for one command. Size and Stdin are as above.
type SubprocessSpawn struct {
	Path  string
	Args  []string
	Size  int64
	Stdin []byte
}

// ToolRequest asks a host tool. Params is an encoded value, none when its Size
// is over maxWriteBytes.
type ToolRequest struct {
	Method string
	Size   int64
	Params Raw
}

func (*Environment) Op() Op             { return OpEnvironment }
func (*Secret) Op() Op                  { return OpSecret }
func (*FilesystemRead) Op() Op          { return OpFilesystemRead }
func (*FilesystemList) Op() Op          { return OpFilesystemList }
func (*FilesystemStat) Op() Op          { return OpFilesystemStat }
func (*FilesystemWrite) Op() Op         { return OpFilesystemWrite }
func (*FilesystemMakeDirectory) Op() Op { return OpFilesystemMakeDirectory }
func (*FilesystemRemove) Op() Op        { return OpFilesystemRemove }
func (*NetworkFetch) Op() Op            { return OpNetworkFetch }
func (*SubprocessSpawn) Op() Op         { return OpSubprocessSpawn }
func (*ToolRequest) Op() Op             { return OpToolRequest }

func (e *encoder) one(s string) { e.array(1); e.str(s) }
func (d *decoder) one(into *string) {
	d.fields(1)
	d.str(into)
}
func (m *Environment) encode(e *encoder) { e.one(m.Name) }
func (m *Environment) decode(d *decoder) { d.one(&m.Name) }
func (m *Secret) encode(e *encoder)      { e.one(m.Name) }
func (m *Secret) decode(d *decoder)      { d.one(&m.Name) }

func (m *FilesystemList) encode(e *encoder)          { e.one(m.Path) }
func (m *FilesystemList) decode(d *decoder)          { d.one(&m.Path) }
func (m *FilesystemStat) encode(e *encoder)          { e.one(m.Path) }
func (m *FilesystemStat) decode(d *decoder)          { d.one(&m.Path) }
func (m *FilesystemMakeDirectory) encode(e *encoder) { e.one(m.Path) }
func (m *FilesystemMakeDirectory) decode(d *decoder) { d.one(&m.Path) }
func (m *FilesystemRemove) encode(e *encoder)        { e.one(m.Path) }
func (m *FilesystemRemove) decode(d *decoder)        { d.one(&m.Path) }

func (m *FilesystemRead) encode(e *encoder) {
	e.array(4)
	e.str(m.Path)
	e.int(m.Offset)
	e.int(m.Length)
	e.bool(m.Text)
}

func (m *FilesystemRead) decode(d *decoder) {
	d.fields(4)
	d.str(&m.Path)
	d.size(&m.Offset)
	d.int(&m.Length)
	d.bool(&m.Text)
}

func (m *FilesystemWrite) encode(e *encoder) {
	e.array(4)
	e.str(m.Path)
	e.bool(m.Append)
	e.int(m.Size)
	e.bin(m.Data)
}

func (m *FilesystemWrite) decode(d *decoder) {
	d.fields(4)
	d.str(&m.Path)
	d.bool(&m.Append)
	d.size(&m.Size)
	d.bin(&m.Data)
}

func (m *NetworkFetch) encode(e *encoder) {
	e.array(6)
	e.str(m.Method)
	e.str(m.URL)
	e.array(len(m.Headers))
	each(m.Headers, e.pair)
	e.int(m.Size)
	e.bin(m.Body)
	e.bool(m.Text)
}

func (m *NetworkFetch) decode(d *decoder) {
	d.fields(6)
	d.str(&m.Method)
	d.str(&m.URL)
	d.pairs(&m.Headers)
	d.size(&m.Size)
	d.bin(&m.Body)
	d.bool(&m.Text)
}

func (m *SubprocessSpawn) encode(e *encoder) {
	e.array(4)
	e.str(m.Path)
	e.strs(m.Args)
	e.int(m.Size)
	e.bin(m.Stdin)
}

func (m *SubprocessSpawn) decode(d *decoder) {
	d.fields(4)
	d.str(&m.Path)
	d.strs(&m.Args)
	d.size(&m.Size)
	d.bin(&m.Stdin)
}

func (m *ToolRequest) encode(e *encoder) { e.array(3); e.str(m.Method); e.int(m.Size); e.raw(m.Params) }
func (m *ToolRequest) decode(d *decoder) {
	d.fields(3)
	d.str(&m.Method)
	d.size(&m.Size)
	d.value(&m.Params)
}
