package grants

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

// refused asserts that err is a denial by a rule and returns it.
func refused(t *testing.T, err error, capability, rule string) *Denial {
	t.Helper()
	var d *Denial
	if !errors.As(err, &d) {
		t.Fatalf("error %v is no denial", err)
	}
	if d.Capability != capability || !strings.Contains(d.Rule, rule) {
		t.Fatalf("denied %s by %q, want %s by %q", d.Capability, d.Rule, capability, rule)
	}
	return d
}

// Covers: T-OP-01
func TestZeroGrantsPermitNothing(t *testing.T) {
	c := NewChecker(Grants{})
	for name, ask := range everyOperation(c) {
		valid, err := ask()
		var d *Denial
		if valid || !errors.As(err, &d) {
			t.Errorf("%s: valid %v, error %v", name, valid, err)
		}
	}
}

func TestInvalidGrantsPermitNothing(t *testing.T) {
	g := load(t, full)
	g.Filesystem.Read = append(g.Filesystem.Read, "relative")
	for name, ask := range everyOperation(NewChecker(g)) {
		if valid, err := ask(); valid || err == nil {
			t.Errorf("%s: permitted by grants that do not validate", name)
		}
	}
}

func TestGrantedOperationsGetTickets(t *testing.T) {
	for name, ask := range everyOperation(NewChecker(load(t, full))) {
		if valid, err := ask(); !valid || err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// everyOperation asks for one operation of each kind that the full document permits.
func everyOperation(c *Checker) map[string]func() (bool, error) {
	return map[string]func() (bool, error){
		"environment":    func() (bool, error) { t, err := c.Environment("MODE"); return t.Valid(), err },
		"secret":         func() (bool, error) { t, err := c.Secret("PIN"); return t.Valid(), err },
		"read":           func() (bool, error) { t, err := c.FileRead("/srv/input/a"); return t.Valid(), err },
		"list":           func() (bool, error) { t, err := c.FileList("/srv/input"); return t.Valid(), err },
		"stat":           func() (bool, error) { t, err := c.FileStat("/srv/input/a"); return t.Valid(), err },
		"write":          func() (bool, error) { t, err := c.FileWrite("/srv/output/a", 1); return t.Valid(), err },
		"make directory": func() (bool, error) { t, err := c.MakeDirectory("/srv/output/a"); return t.Valid(), err },
		"remove":         func() (bool, error) { t, err := c.Remove("/srv/output/a"); return t.Valid(), err },
		"fetch":          func() (bool, error) { t, err := c.Fetch("GET", "https://api.example.com/x"); return t.Valid(), err },
		"spawn":          func() (bool, error) { t, err := c.Spawn("/usr/bin/jq", []string{"."}); return t.Valid(), err },
		"tool":           func() (bool, error) { t, err := c.Tool("get_account", true); return t.Valid(), err },
	}
}

func TestZeroTicketsAreInvalid(t *testing.T) {
	for name, valid := range map[string]bool{
		"environment": EnvironmentRead{}.Valid(), "secret": SecretRead{}.Valid(), "read": FileRead{}.Valid(), "list": FileList{}.Valid(), "stat": FileStat{}.Valid(),
		"write": FileWrite{}.Valid(), "make directory": MakeDirectory{}.Valid(), "remove": Remove{}.Valid(), "fetch": Fetch{}.Valid(), "spawn": Spawn{}.Valid(), "tool": ToolCall{}.Valid(),
	} {
		if valid {
			t.Errorf("%s: the zero ticket is valid", name)
		}
	}
}

func TestPathsAreDecidedByTheirText(t *testing.T) {
	c := NewChecker(Grants{Filesystem: Filesystem{Read: []string{"/srv/input", "/srv/input/deep/", "/opt"}}})
	for _, p := range []struct{ claim, path, root, rel string }{
		{"a file in a root", "/srv/input/a.txt", "/srv/input", "a.txt"},
		{"the root itself", "/srv/input", "/srv/input", "."},
		{"the root with a slash", "/srv/input/", "/srv/input", "."},
		{"the longest root wins", "/srv/input/deep/a", "/srv/input/deep", "a"},
		{"dots that stay inside", "/srv/input/x/../a", "/srv/input", "a"},
		{"dots that come back", "/srv/other/../input/a", "/srv/input", "a"},
		{"doubled slashes", "//srv//input//a", "/srv/input", "a"},
		{"a name that begins with dots", "/srv/input/..a", "/srv/input", "..a"},
		{"text that is not a path elsewhere", "/opt/a\nb", "/opt", "a\nb"},
	} {
		f, err := c.FileRead(p.path)
		if err != nil || f.Root() != p.root || f.Relative() != p.rel || f.Path() != p.path {
			t.Errorf("%s: root %q, relative %q, %v", p.claim, f.Root(), f.Relative(), err)
		}
	}
	for _, p := range []struct{ claim, path, rule, hint string }{
		{"F1: dots lead out", "/srv/input/../../etc/passwd", "outside the granted roots", "filesystem: {read: [/etc]}"},
		{"a sibling with the root's prefix", "/srv/input2/a", "outside the granted roots", "filesystem: {read: [/srv/input2]}"},
		{"the root's parent", "/srv", "outside the granted roots", "filesystem: {read: [/]}"},
		{"a relative path", "a.txt", "not absolute", "use the absolute path of a file in a granted root"},
		{"an empty path", "", "not absolute", "use the absolute path of a file in a granted root"},
		{"a NUL byte", "/srv/input/a\x00b", "NUL", ""},
		{"an endless path", "/srv/input/" + strings.Repeat("a", 5000), "longer than 4096 bytes", ""},
		{"a path that needs quotes", "/a b/c: d/e", "outside", `filesystem: {read: ["/a b/c: d"]}`},
	} {
		_, err := c.FileRead(p.path)
		if d := refused(t, err, CapabilityFilesystemRead, p.rule); d.Hint != p.hint {
			t.Errorf("%s: hint %q, want %q", p.claim, d.Hint, p.hint)
		}
	}
}

func TestRelativePathsAreDeniedWithTheAbsoluteForm(t *testing.T) {
	c := NewChecker(Grants{Filesystem: Filesystem{Read: []string{"/srv/input"}}})
	_, err := c.FileRead("../notes.txt")
	if d := refused(t, err, CapabilityFilesystemRead, "not absolute"); d.Hint != "use the absolute path, such as /srv/input/notes.txt" {
		t.Errorf("hint %q", d.Hint)
	}
}

// A root is a directory: to read a file takes the one that it lies in, to list a directory takes that alone.
func TestHintsAreAsNarrowAsRootsCanBe(t *testing.T) {
	c := NewChecker(Grants{})
	_, read := c.FileRead("/a/b")
	_, stat := c.FileStat("/a/b")
	_, list := c.FileList("/a/x/../b/")
	for hint, err := range map[string]error{"filesystem: {read: [/a]}": errors.Join(read, stat), "filesystem: {read: [/a/b]}": list} {
		if d := refused(t, err, CapabilityFilesystemRead, "outside"); d.Hint != hint {
			t.Errorf("hint %q, want %q", d.Hint, hint)
		}
	}
}

func TestReadAndWriteRootsAreSeparate(t *testing.T) {
	c := NewChecker(load(t, full))
	_, err := c.FileRead("/srv/output/a")
	refused(t, err, CapabilityFilesystemRead, "outside")
	_, err = c.FileWrite("/srv/input/a", 1)
	refused(t, err, CapabilityFilesystemWrite, "outside")
	_, err = c.Remove("/srv/output")
	refused(t, err, CapabilityFilesystemWrite, "cannot be removed")
}

func TestWritesAreBounded(t *testing.T) {
	c := NewChecker(Grants{Filesystem: Filesystem{Write: []string{"/w"}}, Resources: Resources{MaxWriteBytes: 10}})
	if _, err := c.FileWrite("/w/a", 10); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	_, err := c.FileWrite("/w/a", 11)
	if d := refused(t, err, ResourceBytes, "10 bytes of maxWriteBytes"); d.Hint != "resources: {maxWriteBytes: 11}" {
		t.Errorf("hint %q", d.Hint)
	}
	_, err = c.FileWrite("/elsewhere", 11)
	refused(t, err, CapabilityFilesystemWrite, "outside")
}

func TestSecretsThatAreInjectedStayWithTheSupervisor(t *testing.T) {
	const document = "network: {origins: ['https://a.example'], inject: [{origin: 'https://a.example', header: X, secret: IN}, {origin: 'https://a.example', header: Y, secret: BOTH}]}\n" +
		"secrets: {IN: v, BOTH: {value: v, guest: true}, FREE: v, NEVER: {value: v, guest: false}}"
	c := NewChecker(load(t, document))
	for name, allowed := range map[string]bool{"IN": false, "BOTH": true, "FREE": true, "NEVER": false} {
		ticket, err := c.Secret(name)
		if ticket.Valid() != allowed || (err == nil) != allowed {
			t.Errorf("%s: valid %v, %v", name, ticket.Valid(), err)
		}
	}
	_, err := c.Secret("IN")
	if d := refused(t, err, CapabilitySecret, "added to requests by the supervisor"); d.Hint != "secrets: {IN: {guest: true}}" {
		t.Errorf("hint %q", d.Hint)
	}
	_, err = c.Secret("NEVER") // nothing adds it to requests
	refused(t, err, CapabilitySecret, "the secret's grant keeps it from the guest")
}

func TestReadOnlyToolsAreEnforced(t *testing.T) {
	c := NewChecker(Grants{Tools: Tools{Allowed: []string{"look", "change"}, ReadOnly: true}})
	if _, err := c.Tool("look", true); err != nil {
		t.Error(err)
	}
	_, err := c.Tool("change", false)
	refused(t, err, CapabilityTool, "only tools without effects")
	_, err = c.Tool("other", true)
	if d := refused(t, err, CapabilityTool, "not granted"); d.Hint != "tools: {allowed: [other]}" {
		t.Errorf("hint %q", d.Hint)
	}
}

func TestCommandsAreExactPaths(t *testing.T) {
	c := NewChecker(load(t, full))
	for _, path := range []string{"jq", "/usr/bin/../bin/jq", "/usr/bin/jq/", "//usr/bin/jq", "/usr/bin/jq\x00", "/bin/sh", ""} {
		_, err := c.Spawn(path, nil)
		refused(t, err, CapabilitySubprocess, "not granted")
	}
	_, err := c.Spawn("/usr/bin/jq", []string{"a\x00b"})
	refused(t, err, CapabilitySubprocess, "NUL")
	ticket, err := c.Spawn("/usr/bin/jq", []string{"-r", "."})
	if err != nil || ticket.Environment()["LANG"] != "C" || ticket.Sandbox().Read[0] != "/usr/share/data" || len(ticket.Args()) != 2 || ticket.MaxPids() != 64 {
		t.Errorf("ticket %+v, %v", ticket, err)
	}
	ticket.Environment()["LANG"], ticket.Args()[0], ticket.Sandbox().Read[0] = "x", "x", "x"
	if ticket.Environment()["LANG"] != "C" || ticket.Args()[0] != "-r" || ticket.Sandbox().Read[0] != "/usr/share/data" {
		t.Error("a ticket can be changed through what it gives out")
	}
}

// Every hint that is a fragment is a grants document, and with it the same question is answered yes.
func TestHintsAreGrantsThatAllow(t *testing.T) {
	for claim, ask := range map[string]func(c *Checker) error{
		"environment":       func(c *Checker) error { _, err := c.Environment("true"); return err },
		"odd variable":      func(c *Checker) error { _, err := c.Environment("a: {b}, #c"); return err },
		"secret":            func(c *Checker) error { _, err := c.Secret("TOKEN"); return err },
		"read":              func(c *Checker) error { _, err := c.FileRead("/srv/a b/'x\"/c"); return err },
		"read in a number":  func(c *Checker) error { _, err := c.FileRead("/1/2"); return err },
		"read a line break": func(c *Checker) error { _, err := c.FileRead("/srv/a\nb/c"); return err },
		"list":              func(c *Checker) error { _, err := c.FileList("/srv"); return err },
		"stat":              func(c *Checker) error { _, err := c.FileStat("/srv/\u00e9/x"); return err },
		"write":             func(c *Checker) error { _, err := c.FileWrite("/srv/out/a", 3); return err },
		"make directory":    func(c *Checker) error { _, err := c.MakeDirectory("/srv/out/d"); return err },
		"remove":            func(c *Checker) error { _, err := c.Remove("/srv/out/d"); return err },
		"fetch":             func(c *Checker) error { _, err := c.Fetch("", "https://B\u00fccher.example:8443/a?b"); return err },
		"fetch an address":  func(c *Checker) error { _, err := c.Fetch("GET", "http://[::1]:8080/"); return err },
		"post":              func(c *Checker) error { _, err := c.Fetch("POST", "https://a.example/"); return err },
		"spawn":             func(c *Checker) error { _, err := c.Spawn("/usr/bin/jq", nil); return err },
		"tool":              func(c *Checker) error { _, err := c.Tool("get-account", false); return err },
	} {
		var d *Denial
		if !errors.As(ask(NewChecker(Grants{})), &d) {
			t.Errorf("%s: not denied", claim)
			continue
		}
		g, err := Load(strings.NewReader(d.Hint))
		if err != nil || d.Hint == "" {
			t.Errorf("%s: hint %q: %v", claim, d.Hint, err)
			continue
		}
		if err := ask(NewChecker(g)); err != nil {
			t.Errorf("%s: with %s still %v", claim, d.Hint, err)
		}
	}
}

func TestBudgetsAreExact(t *testing.T) {
	limits := Resources{MaxOperations: 3, MaxDataRequests: 2, MaxDataBytes: 10, MaxStatusEvents: 1}.Resolve()
	b := NewBudget(limits)
	for range 3 {
		if err := b.Operation(); err != nil {
			t.Fatal(err)
		}
	}
	if d := refused(t, b.Operation(), ResourceOperations, "maxOperations of 3"); d.Hint != "resources: {maxOperations: 4}" {
		t.Errorf("hint %q", d.Hint)
	}
	_, _ = b.DataRequest(), b.DataRequest()
	refused(t, b.DataRequest(), ResourceDataRequests, "maxDataRequests of 2")
	if err := b.DataBytes(10); err != nil {
		t.Error(err)
	}
	if d := refused(t, b.DataBytes(5), ResourceDataBytes, "maxDataBytes of 10"); d.Hint != "resources: {maxDataBytes: 15}" {
		t.Errorf("hint %q", d.Hint)
	}
	refused(t, b.DataBytes(-1), ResourceDataBytes, "")
	if err := b.StatusEvent(); err != nil {
		t.Error(err)
	}
	refused(t, b.StatusEvent(), ResourceStatusEvents, "")
	if used := b.Used(); used.Operations != 4 || used.DataRequests != 3 {
		t.Errorf("used %+v", used)
	}
}

func TestBudgetsAreSharedSafely(t *testing.T) {
	b := NewBudget(Resources{MaxOperations: 500}.Resolve())
	var wg sync.WaitGroup
	allowed := make(chan int, 10)
	for range 10 {
		wg.Go(func() {
			n := 0
			for range 100 {
				if b.Operation() == nil {
					n++
				}
			}
			allowed <- n
		})
	}
	wg.Wait()
	close(allowed)
	sum := 0
	for n := range allowed {
		sum += n
	}
	if sum != 500 {
		t.Errorf("%d operations passed a limit of 500", sum)
	}
}

func TestTargetsAreBoundedAndClean(t *testing.T) {
	c := NewChecker(Grants{})
	for _, hostile := range []string{strings.Repeat("\u00e9", 5000), "a\xffb"} {
		_, err := c.Environment(hostile)
		d := refused(t, err, CapabilityEnvironment, "")
		if len(d.Target) > maxURL+len("\uFFFD") || strings.ToValidUTF8(d.Target, "") != d.Target {
			t.Errorf("target %q", d.Target)
		}
	}
}

// T1 of the cases: names that mean something to a JavaScript engine are data here.
func TestNamesOfPrototypesAreData(t *testing.T) {
	c := NewChecker(load(t, `{"environment": {"__proto__": "a", "constructor": "b"}}`))
	for name, want := range map[string]string{"__proto__": "a", "constructor": "b"} {
		if ticket, err := c.Environment(name); err != nil || ticket.Value() != want {
			t.Errorf("%s: %q, %v", name, ticket.Value(), err)
		}
	}
	_, err := c.Environment("toString")
	refused(t, err, CapabilityEnvironment, "not granted")
	_, err = c.Tool("__proto__", true)
	refused(t, err, CapabilityTool, "not granted")
}
