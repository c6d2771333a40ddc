package supervisor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/internal/confine"
	"realm.internal/supervisor/pkg/grants"
)

// pooling makes a supervisor of a binary of its own with size waiting realms.
func pooling(t *testing.T, size int) (*Supervisor, *pool) {
	t.Helper()
	binary, err := os.ReadFile(os.Getenv("SUPERVISOR_REALM"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pool")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "realm")
	if err := os.WriteFile(path, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{RealmPath: path, WarmPoolSize: size})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Shutdown(t.Context()) })
	full(t, s, size)
	return s, s.host.pool
}

func full(t *testing.T, s *Supervisor, size int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); s.Waiting() != size; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d realms wait, not %d", s.Waiting(), size)
		}
	}
}

// waiting are the realms that wait now.
func (p *pool) now() []*confine.Realm {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*confine.Realm
	for _, r := range p.waiting {
		list = append(list, r.realm)
	}
	return list
}

func ended(t *testing.T, r *confine.Realm) {
	t.Helper()
	select {
	case <-r.Done():
	case <-time.After(30 * time.Second):
		t.Error("a realm lives on")
	}
}

func one(t *testing.T, s *Supervisor, r Request) *Result {
	t.Helper()
	res, err := s.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestPooledRealmsAreUsedOnceTheOldestFirst(t *testing.T) {
	s, p := pooling(t, 2)
	first := p.now()
	for i := range 2 {
		one(t, s, Request{Source: "1"})
		ended(t, first[i])
	}
	full(t, s, 2)
	for _, r := range p.now() {
		if r == first[0] || r == first[1] {
			t.Error("a realm that was used waits again")
		}
	}
}

func TestPooledRealmsThatDieAreReplaced(t *testing.T) {
	s, p := pooling(t, 2)
	dead := p.now()[0]
	dead.Kill()
	ended(t, dead)
	one(t, s, Request{Source: "1"})
	full(t, s, 2)
	for _, r := range p.now() {
		if r == dead {
			t.Error("a dead realm waits")
		}
	}
}

func TestPooledRealmsAge(t *testing.T) {
	s, p := pooling(t, 1)
	old := p.now()[0]
	p.mu.Lock()
	p.waiting[0].since = time.Now().Add(-waitingAge)
	p.mu.Unlock()
	one(t, s, Request{Source: "1"})
	ended(t, old)
	full(t, s, 1)
}

func TestPooledRealmsOfAReplacedBinaryAreNotUsed(t *testing.T) {
	s, p := pooling(t, 2)
	old := p.now()
	binary, err := os.ReadFile(p.realm)
	if err == nil {
		err = os.WriteFile(p.realm+".new", binary, 0o755)
	}
	if err == nil {
		err = os.Rename(p.realm+".new", p.realm)
	}
	if err != nil {
		t.Fatal(err)
	}
	one(t, s, Request{Source: "1"})
	for _, r := range old {
		ended(t, r)
	}
	full(t, s, 2)
}

func TestALimitOfARequestMovesAPooledRealm(t *testing.T) {
	s, p := pooling(t, 1)
	for _, c := range []struct {
		name   string
		change Request
		taken  bool
	}{
		{"a smaller heap", Request{Limits: Limits{MemoryMb: 32, RealmMemoryMb: 128}}, true},
		{"a larger heap", Request{Limits: Limits{MemoryMb: 512, RealmMemoryMb: 800}}, true},
		{"a time zone", Request{Grants: grants.Grants{Engine: grants.Engine{TimeZone: "Asia/Tokyo"}}}, true},
		{"a locale", Request{Grants: grants.Grants{Engine: grants.Engine{Locale: "de-DE"}}}, false},
	} {
		full(t, s, 1)
		waits := p.now()[0]
		c.change.Source = "[new Date(0).getHours(), (0.5).toLocaleString()]"
		res := one(t, s, c.change)
		taken := !slices.Contains(p.now(), waits)
		want := map[string]string{"a time zone": "[9 0.5]", "a locale": "[0 0,5]"}[c.name]
		if got := fmt.Sprint(res.Value); taken != c.taken || want != "" && got != want {
			t.Errorf("%s: taken %v, %s", c.name, taken, got)
		}
		if mb := c.change.Limits.RealmMemoryMb; mb > 0 {
			bytes := strconv.FormatInt(mb<<20, 10)
			if l := res.Receipt.Layers["cgroup.memory"]; res.Receipt.Cgroup["memoryBytes"] != bytes || !strings.HasPrefix(l.Detail, bytes+" bytes") {
				t.Errorf("%s: %+v, %+v", c.name, res.Receipt.Cgroup, l)
			}
		}
	}
}

// What the supervisor knows and earlier runs were given is nowhere in the memory of a realm that waits.
func TestPooledRealmsHoldNothingOfAnyCaller(t *testing.T) {
	if os.Getuid() != 0 {
		return // the memory of a realm can be read by root alone
	}
	canary := strings.Join([]string{"canary", strconv.Itoa(os.Getpid()), "f00d"}, "-")
	t.Setenv("POOL_CANARY", canary)
	s, p := pooling(t, 2)
	one(t, s, Request{Source: "1; // " + canary, Grants: grants.Grants{
		Secrets: map[string]grants.Secret{"S": {Value: canary}}, Environment: map[string]string{"E": canary}}, Input: canary})
	full(t, s, 2)
	for _, r := range p.now() {
		pid := r.PID()
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
		if err != nil {
			t.Fatal(err)
		}
		memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for line := range strings.Lines(string(maps)) {
			var from, to int64
			if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil || !strings.Contains(line, " r") || to-from > 256<<20 {
				continue
			}
			b := make([]byte, to-from)
			n, _ := memory.ReadAt(b, from)
			read += n
			if bytes.Contains(b[:n], []byte(canary)) {
				t.Errorf("a waiting realm holds the canary in %s", line)
			}
		}
		_ = memory.Close()
		if read < 1<<20 {
			t.Errorf("only %d bytes were read", read)
		}
	}
}
