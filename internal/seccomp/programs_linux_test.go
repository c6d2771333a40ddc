package seccomp

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ordinary runs a program under the command filter and returns its output.
func ordinary(t *testing.T, dir, input string, argv ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Skipf("%s is not installed", argv[0])
	}
	cmd := confined(append([]string{"exec", "command", path}, argv[1:]...)...)
	if *recordings != "" {
		recorded(t, cmd, "-qq", filepath.Join(*recordings, "command-"+url.PathEscape(t.Name())))
	}
	cmd.Env = append(cmd.Env, "HOME="+dir)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(input)
	output, err := cmd.CombinedOutput()
	return string(output), err
}

func TestOrdinaryProgramsRunUnderTheCommandFilter(t *testing.T) {
	for _, c := range []struct {
		claim, input string
		argv         []string
		want         string
	}{
		{"a shell pipes, substitutes and reads", "b\na\n", []string{"sh", "-c", "while read x; do echo $(echo $x | tr ab AB); done | sort | uniq -c"}, "      1 A\n      1 B\n"},
		{"a shell runs jobs in the background", "", []string{"sh", "-c", "sleep 0 & wait $!; echo $?"}, "0\n"},
		{"a shell redirects, tests and traps", "", []string{"sh", "-c", "trap 'echo end' EXIT; echo x > f; test -s f && cat < f; umask 022; ulimit -n >/dev/null"}, "x\nend\n"},
		{"bash has process substitution and arrays", "", []string{"bash", "-c", "a=(1 2); cat <(echo ${a[1]})"}, "2\n"},
		{"env lists its environment", "", []string{"env", "-i", "A=1", "env"}, "A=1\n"},
		{"sort uses threads and temporary files", "3\n1\n2\n", []string{"sort", "--parallel=4", "-S", "1K", "-n"}, "1\n2\n3\n"},
		{"jq filters", `{"a":[1,2]}`, []string{"jq", "-c", ".a|map(.+1)"}, "[2,3]\n"},
		{"files are made, copied, linked and removed", "", []string{"sh", "-c", "mkdir -p a/b && echo 1 >a/b/c && cp -a a d && cp --reflink=auto a/b/c e && ln -s c d/b/l && ln d/b/c d/h && mv d g && cat g/b/l && touch -d 2020-01-01 e && chmod 600 e && stat -c %a-%Y e && rm -r a g e"}, "1\n600-1577836800\n"},
		{"find, xargs, grep, sed and awk", "", []string{"sh", "-c", "echo needle >n; find . -name n -print0 | xargs -0 grep -c needle; sed -i s/needle/pin/ n; awk '{print $1}' n"}, "1\npin\n"},
		{"tar and gzip", "", []string{"sh", "-c", "echo x >x; tar czf x.tgz x && rm x && tar xzf x.tgz && cat x"}, "x\n"},
		{"dd, head, wc, sync and truncate", "", []string{"sh", "-c", "dd if=/dev/zero of=z bs=1k count=4 2>/dev/null; sync z; truncate -s 10 z; wc -c <z; head -c 3 z | od -An -tx1"}, "10\n 00 00 00\n"},
		{"date, uname, id and nproc", "", []string{"sh", "-c", "date -u -d @0 +%Y; uname -s; id -u; test $(nproc) -ge 1"}, "1970\nLinux\n1000\n"},
		{"timeout ends a program", "", []string{"sh", "-c", "timeout 0.05 sleep 5; echo $?"}, "124\n"},
		{"git keeps a history", "", []string{"sh", "-c", "git init -q r && cd r && echo 1 >f && git add f && git -c user.name=n -c user.email=e commit -qm m && git log --format=%s && git status --short && git gc -q"}, "m\n"},
		{"python runs subprocesses and threads", "", []string{"python3", "-c", `
import subprocess, threading, tempfile, socket, select, json, os, signal, shutil, fcntl
print(subprocess.run(["sh", "-c", "cat"], input=b"in", capture_output=True).stdout.decode())
out = []
t = [threading.Thread(target=out.append, args=(i,)) for i in range(4)]
[x.start() for x in t]; [x.join() for x in t]
print(sorted(out))
with tempfile.TemporaryDirectory() as d:
    open(d + "/a", "w").write("x"); shutil.copytree(d, d + "/../copy"); shutil.rmtree(d + "/../copy")
a, b = socket.socketpair(); a.send(b"s"); print(b.recv(1).decode())
print(os.get_terminal_size.__name__, os.isatty(0))
`}, "in\n[0, 1, 2, 3]\ns\nget_terminal_size False\n"},
		{"python runs asyncio and a process pool", "", []string{"python3", "-c", `
import asyncio, concurrent.futures as f
async def main():
    p = await asyncio.create_subprocess_exec("echo", "a", stdout=asyncio.subprocess.PIPE)
    return (await p.communicate())[0].decode().strip()
print(asyncio.run(main()))
def g(x): return x * 2
if __name__ == "__main__":
    with f.ProcessPoolExecutor(2) as e: print(list(e.map(abs, [-1, -2])))
`}, "a\n[1, 2]\n"},
		{"perl runs", "", []string{"perl", "-e", "print join ',', map { $_ * 2 } 1..3"}, "2,4,6"},
		{"node runs JIT code, timers and children", "", []string{"node", "-e", "let s=0;for(let i=0;i<1e6;i++)s+=i;setTimeout(()=>console.log(s,require('child_process').execSync('echo c').toString().trim()),1)"}, "499999500000 c\n"},
		{"make runs recipes in parallel", "all: a b\na b:\n\t@echo made >/dev/null\n", []string{"make", "-s", "-j2", "-f", "-"}, ""},
		{"a compiler compiles, and what it made runs", "int main(void){return 7;}", []string{"sh", "-c", "gcc -x c - -o p && ./p; echo $?"}, "7\n"},
		{"go's own tool runs", "", []string{"go", "env", "GOOS"}, "linux\n"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			t.Parallel()
			got, err := ordinary(t, t.TempDir(), c.input, c.argv...)
			if err != nil || got != c.want {
				t.Errorf("%v, output %q, want %q", err, got, c.want)
			}
		})
	}
}

func TestOrdinaryProgramsReportWhatIsRefused(t *testing.T) {
	for _, c := range []struct {
		claim string
		argv  []string
		want  string
	}{
		{"chmod u+s", []string{"sh", "-c", "echo >f; chmod u+s f"}, "Operation not permitted"},
		{"install -m 4755", []string{"sh", "-c", "echo >f; install -m 4755 f g"}, "Operation not permitted"},
		{"mkdir -m 2755", []string{"mkdir", "-m", "2755", "d"}, "Operation not permitted"},
		{"cp keeping a set-ID mode", []string{"sh", "-c", "cp -p /usr/bin/passwd p; test ! -u p && echo plain"}, "plain"},
		{"unshare", []string{"unshare", "-U", "true"}, "Operation not permitted"},
		{"nsenter", []string{"nsenter", "-t", "1", "-n", "true"}, "nsenter"},
		{"chroot", []string{"chroot", "/", "true"}, "Operation not permitted"},
		{"mount", []string{"mount", "-t", "tmpfs", "none", "/mnt"}, "mount"},
		{"an internet socket", []string{"python3", "-c", "import socket; socket.socket()"}, "Address family not supported"},
		{"setarch -R", []string{"setarch", "x86_64", "-R", "true"}, "Operation not permitted"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got, err := ordinary(t, dir, "", c.argv...)
			if c.want != "plain" && err == nil {
				t.Errorf("it worked: %q", got)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("output %q, want %q", got, c.want)
			}
			noSetID(t, dir)
		})
	}
}

func noSetID(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
			t.Errorf("%s has mode %v", filepath.Base(path), info.Mode())
		}
	}
}
