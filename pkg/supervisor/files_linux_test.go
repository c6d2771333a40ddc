package supervisor_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

const capabilities = "import { readText, readBytes, list, stat, writeText, writeBytes, appendText, makeDirectory, remove } from 'realm:capabilities';\n"

func readWrite(dir string) change {
	return granted(grants.Grants{Filesystem: grants.Filesystem{Read: []string{dir}, Write: []string{dir}}})
}

func TestFileOperationsAnswerAsDocumented(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/a.txt", "héllo wörld")
	if err := os.WriteFile(dir+"/bin", []byte{0, 0xff, 2}, 0o600); err != nil {
		t.Fatal(err)
	}
	yields(t, `["héllo wörld","llo",[0,255,2],"b",{"type":"file","size":3,"modified":true},[["a.txt","file"],["bin","file"],["sub","directory"]],"onetwo",[9],[true,true]]`, capabilities+`
		export default async dir => {
			const s = await stat(dir + '/bin');
			const undefineds = [await makeDirectory(dir + '/sub'), await writeText(dir + '/sub/t', 'one'), await appendText(dir + '/sub/t', 'two'), await writeBytes(dir + '/sub/b', new Uint8Array([9]))];
			const listed = (await list(dir)).map(e => [e.name, e.type]).sort();
			const text = await readText(dir + '/sub/t'), bytes = [...await readBytes(dir + '/sub/b')];
			await remove(dir + '/sub/t'); await remove(dir + '/sub/b'); undefineds.push(await remove(dir + '/sub'));
			return [await readText(dir + '/a.txt'), await readText(dir + '/a.txt', {offset: 3, length: 3}), [...await readBytes(dir + '/bin')], 'b',
				{type: s.type, size: s.size, modified: Math.abs(Date.now() - s.modifiedMs) < 3.6e6}, listed, text, bytes,
				[undefineds.every(u => u === undefined), (await list(dir)).length === 2]];
		}`, readWrite(dir), args(dir))
	_, e := fails(t, supervisor.ErrRuntime, capabilities+`export default p => readText(p)`, readWrite(dir), args(dir+"/bin"))
	contains(t, e.Message, "readBytes")
	yields(t, `["SandboxOperationError","filesystem.read","ENOENT"]`, capabilities+`export default p => readText(p).catch(e => [e.name, e.capability, e.code])`, readWrite(dir), args(dir+"/none"))
}

// Case F1
func TestPathsOutOfTheRootAreDenied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := write(t, t.TempDir()+"/outside", "secret")
	for _, path := range []string{
		dir + "/../../etc/passwd", dir + "/../" + filepath.Base(filepath.Dir(outside)) + "/outside", outside, "/etc/passwd", "relative", "", dir + "x", "/", dir + "/a/../../x",
		"/proc/self/environ", dir + "\x00/etc/passwd",
	} {
		yields(t, `["SandboxDeniedError"]`, capabilities+`export default async p => {
			const names = new Set();
			for (const call of [readText, readBytes, list, stat, remove, makeDirectory, p => writeText(p, 'x'), p => appendText(p, 'x')]) names.add(await call(p).then(() => call + ' is done', e => e.name));
			return [...names];
		}`, readWrite(dir), args(path))
	}
	// No oracle: a path that exists and one that does not are refused alike.
	source := capabilities + `export default p => readText(p).catch(e => [e.message.replaceAll(p, 'P'), e.hint.replaceAll(p, 'P')].join())`
	there, absent := succeed(t, source, readWrite(dir), args(outside)), succeed(t, source, readWrite(dir), args(outside[:len(outside)-1]+"x"))
	if there.Value != absent.Value {
		t.Errorf("%v\n%v", there.Value, absent.Value)
	}
	if read(t, outside) != "secret" {
		t.Error("the file outside has changed")
	}
}

// Case F2
func TestLinksOutOfAWriteRootLeaveTheirTargetsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := write(t, t.TempDir()+"/outside", "old")
	for name, target := range map[string]string{"file": outside, "dir": filepath.Dir(outside), "dangling": filepath.Dir(outside) + "/new", "relative": "../../../../../../../../etc/hostname"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range []string{
		`writeText(d + '/file', 'x')`, `appendText(d + '/file', 'x')`, `readText(d + '/file')`, `writeText(d + '/dir/outside', 'x')`, `writeText(d + '/dir/created', 'x')`,
		`writeText(d + '/dangling', 'x')`, `makeDirectory(d + '/dir/made')`, `remove(d + '/dir/outside')`, `readText(d + '/relative')`, `list(d + '/dir')`,
	} {
		_, e := fails(t, supervisor.ErrDenied, capabilities+`export default d => `+call, readWrite(dir), args(dir))
		if !strings.HasPrefix(e.Capability, "filesystem.") {
			t.Errorf("%s: %+v", call, e)
		}
	}
	if got := names(t, filepath.Dir(outside)); len(got) != 1 || read(t, outside) != "old" {
		t.Errorf("outside holds %v", got)
	}
}

// Case F3
func TestALinkThatIsSwappedInNeverWins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := write(t, t.TempDir()+"/outside", "SECRET")
	write(t, dir+"/inside", "inside")
	if err := os.Mkdir(dir+"/d", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/d/outside", "inside")
	if err := os.Symlink(outside, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), dir+"/dlink"); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = unix.Renameat2(unix.AT_FDCWD, dir+"/inside", unix.AT_FDCWD, dir+"/link", unix.RENAME_EXCHANGE)
			_ = unix.Renameat2(unix.AT_FDCWD, dir+"/d", unix.AT_FDCWD, dir+"/dlink", unix.RENAME_EXCHANGE)
		}
	}()
	yields(t, `true`, capabilities+`export default async dir => {
		const seen = new Set();
		for (let i = 0; i < 100; i++) {
			await Promise.all(['/inside', '/d/outside'].map(p => readText(dir + p).then(text => seen.add(text), e => seen.add(e.name))));
			await writeText(dir + '/d/outside', 'inside').catch(() => {});
			await writeText(dir + '/inside', 'inside').catch(() => {});
		}
		seen.delete('SandboxOperationError'); // the name was away for a moment
		seen.delete('SandboxDeniedError');
		return [...seen].join() === 'inside' || [...seen];
	}`, readWrite(dir), args(dir), limited(supervisor.Limits{MaxOperations: 1000}))
	close(stop)
	<-swapped
	if read(t, outside) != "SECRET" {
		t.Error("the file outside was written")
	}
}

// Case F4
func TestARootMayBeALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/real/a", "through")
	if err := os.Symlink(dir+"/real", dir+"/root"); err != nil {
		t.Fatal(err)
	}
	yields(t, `"through"`, capabilities+`export default d => readText(d + '/a')`, readable(dir+"/root"), args(dir+"/root"))
	yields(t, `{"$type":"undefined"}`, capabilities+`export default d => writeText(d + '/b', 'x')`, writable(dir+"/root"), args(dir+"/root"))
	if read(t, dir+"/real/b") != "x" {
		t.Error("not written")
	}
}

// Case F5
func TestOnlyRegularFilesAreReadAndNothingBlocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mkfifo(dir+"/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	l, err := net.Listen("unix", fmt.Sprintf("/proc/self/fd/%d/socket", d.Fd())) // the path itself is too long for an address
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if err := os.Mkdir(dir+"/directory", 0o755); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"fifo", "socket", "directory"}
	if os.Geteuid() == 0 {
		if err := unix.Mknod(dir+"/device", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, "device")
	}
	for _, name := range kinds {
		began := time.Now()
		yields(t, `["SandboxOperationError",true]`, capabilities+`export default p => readText(p).catch(e => [e.name, e.code.length > 0 && e.message.length > 0])`, readWrite(dir), args(dir+"/"+name))
		yields(t, `"refused"`, capabilities+`export default p => appendText(p, 'x').then(() => 'done', () => 'refused')`, readWrite(dir), args(dir+"/"+name))
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}

// Case F6
func TestAFileAboveTheLimitIsRefusedUnread(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.Create(dir + "/huge")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	res, e := fails(t, supervisor.ErrDenied, capabilities+`export default p => readText(p)`, readable(dir), args(dir+"/huge"))
	if e.Capability != "resource.bytes" || res.Stats.BytesRead != 0 {
		t.Errorf("%+v, %+v", e, res.Stats)
	}
	contains(t, e.Message+e.Hint, "maxReadBytes")
	yields(t, `1024`, capabilities+`export default async p => (await readBytes(p, {offset: 5e8, length: 1024})).length`, readable(dir), args(dir+"/huge"))
	_, e = fails(t, supervisor.ErrDenied, capabilities+`export default d => writeText(d + '/w', 'x'.repeat(2 ** 20 + 1))`, writable(dir), args(dir))
	contains(t, e.Message+e.Hint, "maxWriteBytes")
	succeed(t, capabilities+`export default d => writeText(d + '/w', 'x'.repeat(2 ** 20))`, writable(dir), args(dir))
}

// A run that ends while it writes leaves the old file or the new one, and no temporary.
//
// Case F7
func TestARunThatEndsInTheMiddleOfWritingLeavesWholeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir+"/f", strings.Repeat("o", 1<<20))
	for range 5 {
		run(t, capabilities+`export default async p => { for (let i = 0; ; i = 1 - i) await writeText(p, String(i).repeat(2 ** 20)) }`,
			writable(dir), args(path), limited(supervisor.Limits{WallClockMs: 60, MaxOperations: 100_000}))
		text := read(t, path)
		if len(text) != 1<<20 || strings.Count(text, text[:1]) != len(text) {
			t.Fatalf("a part of a file: %d bytes", len(text))
		}
		if got := names(t, dir); !slices.Equal(got, []string{"f"}) {
			t.Fatalf("%v", got)
		}
	}
}

// Case E10
func TestPseudoFileSystemsAreRefusedWhateverTheRoot(t *testing.T) {
	t.Setenv("E2E_CANARY", "canary-in-the-environment")
	for _, path := range []string{"/proc/self/environ", "/proc/1/cmdline", "/proc/self/root/etc/hostname", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/dev/pts/ptmx"} {
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		res, err := run(t, capabilities+`export default p => readText(p)`, readable("/"), args(path))
		if err == nil {
			t.Errorf("%s is read: %v", path, res.Value)
		}
	}
	_, e := fails(t, supervisor.ErrDenied, capabilities+`export default p => readText(p)`, readable("/"), args("/proc/self/environ"))
	if e.Capability != "filesystem.read" {
		t.Errorf("%+v", e)
	}
}

func TestWriteRootsThatHoldWhatTheSupervisorNeedsAreRefused(t *testing.T) {
	t.Parallel()
	_, e := fails(t, supervisor.ErrInvalid, `1`, writable(filepath.Dir(realmPath)))
	contains(t, e.Message, "realm")
	dir := t.TempDir()
	s := supervise(t, supervisor.Config{Protect: []string{write(t, dir+"/audit.log", "")}})
	_, err := runIn(t, s, `1`, writable(dir))
	failed(t, supervisor.ErrInvalid, err)
}
