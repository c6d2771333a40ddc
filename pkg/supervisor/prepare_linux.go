package supervisor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"realm.internal/supervisor/internal/broker"
	"realm.internal/supervisor/internal/capability/filesystem"
	"realm.internal/supervisor/internal/capability/network"
	"realm.internal/supervisor/internal/capability/secret"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/internal/redact"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

// execution is one run from its request to its result.
type execution struct {
	s       *Supervisor
	session *Session
	place   *place
	req     Request
	checker *grants.Checker
	limits  grants.Limits
	execs   broker.Executors
	secrets redact.Set
	trail   *broker.Trail
	message rpc.Execute
}

// prepare checks everything about a request that needs no realm, and opens what
// its grants name. The error is an *Error of code INVALID or VALIDATION.
func (s *Supervisor) prepare(r Request) (*execution, error) {
	if r.Name == "" {
		r.Name = "guest.ts"
	}
	if r.Mode == "" {
		r.Mode = ModeAuto
	}
	if !slices.Contains([]Mode{ModeAuto, ModeModule, ModeScript, ModeFunction}, r.Mode) {
		return nil, invalid("mode %q is not auto, module, script or function", grants.Shorten(string(r.Mode)))
	}
	if err := s.profile(&r); err != nil {
		return nil, err
	}
	r.Grants.Resources = s.cfg.Limits.Override(r.Grants.Resources).Override(r.Limits)
	if err := r.Grants.Validate(); err != nil {
		return nil, failure(CodeInvalid, err, "%v", err)
	}
	if err := s.checkPolicy(r); err != nil {
		return nil, err
	}
	x := &execution{s: s, req: r, checker: grants.NewChecker(r.Grants)}
	x.limits = x.checker.Limits()
	if err := x.encode(); err != nil {
		return nil, err
	}
	if err := x.open(); err != nil {
		x.close()
		if s.isClosed() { // what it opens from is closed
			err = closedError()
		}
		return nil, err
	}
	sink := s.cfg.Audit
	if sink == nil || r.own {
		sink = audit.NewMemory()
	}
	x.trail = broker.NewTrail(r.ID, sink, x.secrets.Diagnostics.Text)
	return x, nil
}

func invalid(format string, args ...any) *Error { return failure(CodeInvalid, nil, format, args...) }

// encode makes the Execute message.
func (x *execution) encode() error {
	r := &x.req
	m := &x.message
	if n := int64(len(r.Source)); n > x.limits.MaxCodeBytes {
		e := failure(CodeValidation, nil, "the source has %d bytes, maxCodeBytes is %d", n, x.limits.MaxCodeBytes)
		e.Phase = "compile"
		return e
	}
	if !utf8.ValidString(r.Source) {
		e := failure(CodeValidation, nil, "the source is not valid UTF-8")
		e.Phase = "compile"
		e.Line, e.Column = firstInvalid(r.Source)
		return e
	}
	args := r.Args
	if args == nil {
		args = []any{}
	}
	var err error
	if m.Args, err = value.Encode(args); err != nil {
		return invalid("the arguments cannot cross: %v", err)
	}
	if r.Input != nil {
		if m.Input, err = value.Encode(r.Input); err != nil {
			return invalid("the input cannot cross: %v", err)
		}
	}
	l := x.limits
	m.Source, m.Name, m.Mode = []byte(r.Source), r.Name, string(r.Mode)
	m.Tools = slices.Clone(r.Grants.Tools.Allowed)
	m.TimeZone = timeZone(r.Grants.Engine)
	m.Limits = rpc.Limits{
		MemoryMb: l.MemoryMb, MaxResultBytes: l.MaxResultBytes, MaxWriteBytes: l.MaxWriteBytes, MaxDataBytes: l.MaxDataBytes,
		MaxLogBytes: l.MaxLogBytes, MaxConsoleCalls: grants.MaxConsoleCalls, MaxStatusEvents: l.MaxStatusEvents,
	}
	return nil
}

func firstInvalid(s string) (line, column int) {
	line, column = 1, 1
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return line, column
			}
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}

func timeZone(e grants.Engine) string {
	if e.TimeZone == "" {
		return "UTC"
	}
	if zone, ok := longZones[e.TimeZone]; ok {
		return zone
	}
	return e.TimeZone
}

// longZones are what short names of the IANA database stand for. The engine's library takes names of three or four letters for
// abbreviations, and has them be UTC where the C library knows no zones, as in a realm.
var longZones = map[string]string{
	"CET": "Europe/Brussels", "Cuba": "America/Havana", "EET": "Europe/Athens", "EST": "America/Panama", "GMT": "Etc/GMT",
	"HST": "Pacific/Honolulu", "Iran": "Asia/Tehran", "MET": "Europe/Brussels", "MST": "America/Phoenix", "PRC": "Asia/Shanghai",
	"ROC": "Asia/Taipei", "ROK": "Asia/Seoul", "W-SU": "Europe/Moscow",
}

func locale(e grants.Engine) string {
	if e.Locale == "" {
		return "en-US"
	}
	return e.Locale
}

// open opens roots, reads secrets, modules and wasm, and builds the executors.
func (x *execution) open() error {
	g := x.req.Grants
	spawner, err := x.s.host.confine.Spawner()
	if err != nil {
		return launchError(err)
	}
	files, _ := x.ceilings()
	x.execs.Files, err = filesystem.Open(g.Filesystem.Read, g.Filesystem.Write, filesystem.Options{
		Exclusions: x.protected(),
		Ceilings:   files,
		Guard:      fileGuard{spawner},
	})
	var missing *launch.Unenforceable
	switch {
	case errors.As(err, &missing):
		return launchError(err)
	case err != nil:
		return failure(CodeInvalid, err, "grants: %v", err)
	}
	if x.execs.Secrets, err = secret.Open(g, os.LookupEnv); err != nil {
		return failure(CodeInvalid, err, "grants: %v", err)
	}
	x.secrets = x.redactions()
	if x.execs.Network, err = x.network(); err != nil {
		return err
	}
	if err := x.openModules(); err != nil {
		return err
	}
	return x.openCommands(spawner)
}

// redactions are the secrets that must not leave: those that the guest may read
// stay in its own results.
func (x *execution) redactions() redact.Set {
	var list []redact.Secret
	for name, v := range x.execs.Secrets.All() {
		_, err := x.checker.Secret(name)
		list = append(list, redact.Secret{Name: name, Value: v, Readable: err == nil})
	}
	return redact.NewSet(list)
}

func (x *execution) network() (*network.Client, error) {
	if len(x.req.Grants.Network.Origins) == 0 {
		return nil, nil
	}
	cfg := network.Config{Decider: x.checker, Secret: x.execs.Secrets.Value}
	if path := x.s.cfg.RootCAFile; path != "" {
		pem, err := os.ReadFile(path)
		if err != nil {
			return nil, failure(CodeInvalid, err, "root CA file: %v", err)
		}
		if cfg.RootCAs, err = network.Roots(pem); err != nil {
			return nil, failure(CodeInvalid, err, "root CA file %s: %v", path, err)
		}
	}
	return network.New(cfg), nil
}

// tools merges the functions of config and request. Allowed tools that have none are asked of who reads the session's events, if anybody does.
func (x *execution) tools() *toolset {
	t := &toolset{functions: maps.Clone(x.s.cfg.Tools), writing: slices.Concat(x.s.cfg.WritingTools, x.req.WritingTools)}
	if t.functions == nil {
		t.functions = map[string]Tool{}
	}
	maps.Copy(t.functions, x.req.Tools)
	if x.session.events != nil {
		t.session = x.session
	}
	return t
}

// toolHint says of a name that the guest did not find which grant would have made it a host tool's. The realm is told of allowed tools
// alone, so nobody learns of others but whoever asked for the run.
func (x *execution) toolHint(e *Error) *Error {
	name, undefined := strings.CutSuffix(e.Message, " is not defined")
	if e.Name != "ReferenceError" || !undefined || x.req.Tools[name] == nil && x.s.cfg.Tools[name] == nil {
		return e
	}
	var denied *grants.Denial
	if _, err := x.checker.Tool(name, true); errors.As(err, &denied) {
		e.Hint = denied.Hint
	}
	return e
}

// close releases what open opened.
func (x *execution) close() {
	if x.execs.Files != nil {
		_ = x.execs.Files.Close()
	}
	if x.execs.Network != nil {
		x.execs.Network.Close()
	}
	if c, ok := x.execs.Commands.(interface{ Close() }); ok {
		c.Close()
	}
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
