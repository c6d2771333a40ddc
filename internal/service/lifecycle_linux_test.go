package service

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestReloadIsAllOrNothing(t *testing.T) {
	r := serve(t, `version: 1
ceilings: {environment: {MODE: "*"}, tools: {allowed: [ask]}}
profiles: {p: {environment: {MODE: before}, tools: {allowed: [ask]}}}
callers: [{uid: ME, profiles: [p]}]
audit: [{file: DIR/audit.log}]
`)
	mode := `import {environment} from "realm:capabilities"; export default () => environment("MODE")`
	late := r.live(`{"source": "import {environment} from 'realm:capabilities'; await dataProxy.request('ask', 1); export default () => environment('MODE')"}`)
	asked := late.until("data_request")
	for claim, policy := range map[string]string{
		"not YAML":                 "version: [",
		"an unknown key":           "version: 1\ncaller: []",
		"an audit log that cannot": "version: 1\ncallers: [{uid: ME}]\naudit: [{file: DIR/none/audit.log}]",
		"a layer that is missing":  "version: 1\nrequiredLayers: [nothing]",
	} {
		r.write(policy)
		if err := r.Reload(); err == nil {
			t.Errorf("%s: reloaded", claim)
		}
		if res := r.run(js(map[string]any{"source": mode})); string(res.Value) != `"before"` {
			t.Errorf("%s: %+v", claim, res)
		}
	}
	if err := os.Remove(r.policy); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err == nil {
		t.Error("reloaded without a policy")
	}
	r.write("version: 1\nprofiles: {p: {environment: {MODE: after}}}\ncallers: [{uid: ME, profiles: [p]}]\npool: {maxConcurrent: 3}\naudit: [{file: DIR/audit.log}]\n")
	if err := os.Chmod(r.policy, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err == nil || !strings.Contains(err.Error(), "can be written by others") {
		t.Errorf("a policy that others may write: %v", err)
	}
	if err := os.Chmod(r.policy, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	if res := r.run(js(map[string]any{"source": mode})); string(res.Value) != `"after"` {
		t.Errorf("afterwards: %+v", res)
	}
	if status, _ := r.send("POST", late.res.Header.Get("Location")+"/responses", js(map[string]any{"dataRequestId": asked["dataRequestId"], "data": nil})); status != 204 {
		t.Errorf("an answer to a run of before: %d", status)
	}
	if last := late.until("result"); last["payload"] != "before" {
		t.Errorf("a run of before ended with %v", last)
	}
	r.retired.Wait() // what the former policy had is given back
	if _, text := r.send("GET", "/metrics", ""); !strings.Contains(text, "supervisor_max_runs 3\n") || !strings.Contains(text, `supervisor_reloads_total{outcome="refused"} 6`) {
		t.Errorf("figures: %s", text)
	}
	r.write("version: 1\ncallers: []\n")
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	if status, _ := r.send("GET", "/v1/runs", ""); status != 403 {
		t.Errorf("a caller that is listed no more: %d", status)
	}
}

func TestTheWatchdogHearsThatAllIsWellOnlyWhenItIs(t *testing.T) {
	r := prepare(t, "version: 1\ncallers: [{uid: ME, grants: true}]\n")
	realm := filepath.Join(r.dir(), "realm")
	replace := func(binary []byte) {
		t.Helper()
		_ = os.Remove(realm)
		if binary == nil {
			return
		}
		if err := os.WriteFile(realm, binary, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	binary, err := os.ReadFile(realmPath)
	if err != nil {
		t.Fatal(err)
	}
	replace(binary)
	r.start(nil, func(c *Config) { c.RealmPath = realm; c.Watchdog = 20 * time.Millisecond })
	ready := func() bool { status, _ := r.send("GET", "/readyz", ""); return status == 200 }
	eventually(t, "the watchdog hears", func() bool { return r.notes.count("WATCHDOG=1") > 2 })
	if r.notes.count("READY=1") != 1 || !ready() {
		t.Error("it is not ready")
	}
	replace(nil)
	if res := r.run(`{"source": "6 * 7"}`); string(res.Value) != "42" {
		t.Errorf("a binary that is removed is held open: %+v", res)
	}
	replace([]byte("#!/bin/sh\nexit 1\n"))
	killSpawner(t)
	eventually(t, "it is not ready", func() bool { return !ready() })
	status, text := r.send("POST", "/v1/runs", `{"source": "1"}`)
	if status < 400 || !strings.Contains(text, "realm") {
		t.Errorf("a run without a realm: %d %s", status, text)
	}
	before := r.notes.count("WATCHDOG=1")
	eventually(t, "checks fail", func() bool { return strings.Count(r.logs.String(), "the self-check failed") > 3 })
	if now := r.notes.count("WATCHDOG=1"); now > before+1 {
		t.Errorf("the watchdog heard %d times that all is well", now-before)
	}
	replace(binary)
	eventually(t, "it is ready again", ready)
	if res := r.run(`{"source": "6 * 7"}`); string(res.Value) != "42" {
		t.Errorf("afterwards: %+v", res)
	}
}

// What the units have: a self-check that fails is told to nobody, and the one behind it comes in time.
func TestTheWatchdogBearsOneCheckThatFails(t *testing.T) {
	c := Config{CheckEvery: 15 * time.Second, Watchdog: 30 * time.Second}
	if every := c.interval(); 2*every+every/2 >= c.Watchdog {
		t.Errorf("two checks take %v and more, the watchdog waits for %v", 2*every, c.Watchdog)
	}
	c.Watchdog = 0
	if every := c.interval(); every != c.CheckEvery {
		t.Errorf("without a watchdog, every %v", every)
	}
}

// killSpawner kills the spawner that this process has started.
func killSpawner(t *testing.T) {
	t.Helper()
	n, err := strconv.Atoi(spawner(t))
	if err == nil {
		err = syscall.Kill(n, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// spawner is the pid of the one that this process has started.
func spawner(t *testing.T) string {
	t.Helper()
	for _, pid := range children("self") {
		if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.Contains(string(line), "spawner") {
			return pid
		}
	}
	t.Fatal("there is no spawner")
	return ""
}

// children are the processes that a process has started.
func children(pid string) (all []string) {
	lists, _ := filepath.Glob("/proc/" + pid + "/task/*/children")
	for _, list := range lists {
		pids, _ := os.ReadFile(list)
		all = append(all, strings.Fields(string(pids))...)
	}
	return all
}

// Covers: T-LOC-01
func TestTokensOverTCP(t *testing.T) {
	const good, other = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
	r := prepare(t, everything)
	file := filepath.Join(r.dir(), "tokens")
	if err := os.WriteFile(file, []byte("ci "+good+"\nstranger "+other+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key, pool := certificate(t, r.dir())
	for _, secured := range []bool{false, true} {
		l, err := ListenTCP("127.0.0.1:0", secured, false)
		if err != nil {
			t.Fatal(err)
		}
		r.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
		url := "http://" + l.Addr().String()
		r.start([]net.Listener{l}, func(c *Config) {
			c.TokenFile = file
			if secured {
				c.TLSCert, c.TLSKey = cert, key
				url = "https://" + l.Addr().String()
			}
		})
		for _, c := range []struct {
			claim, header string
			status        int
		}{
			{"no token", "", 401}, {"a wrong token", "Bearer " + good + "0", 401}, {"a part of one", "Bearer " + good[:31], 401}, {"its name", "Bearer ci", 401},
			{"another scheme", "Basic " + good, 401}, {"a token", "Bearer " + good, 200}, {"a token, in lower case", "bearer " + good, 200},
			{"a token that the policy does not list", "Bearer " + other, 403},
		} {
			req, _ := http.NewRequest("POST", url+"/v1/runs", strings.NewReader(`{"source": "6 * 7"}`))
			if c.header != "" {
				req.Header.Set("Authorization", c.header)
			}
			res, err := r.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if res.StatusCode != c.status || c.status == 401 && res.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: %d %s", c.claim, res.StatusCode, text)
			}
		}
		if secured {
			res, err := http.Get("http://" + l.Addr().String() + "/healthz")
			if err == nil && res.StatusCode == 200 {
				t.Error("plain text is answered where TLS is asked for")
			}
		}
		if strings.Contains(r.logs.String(), good) {
			t.Error("the log holds a token")
		}
		r.stop(time.Second)
	}
}

func certificate(t *testing.T, dir string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "service"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, pool = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return cert, key, pool
}

func TestTheServicesOwnSocket(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sock")
	l, err := ListenUnix(path, -1)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o660 || l.Addr().String() != path {
		t.Errorf("mode %v, address %s, %v", info.Mode(), l.Addr(), err)
	}
	if _, err := ListenUnix(path, -1); err == nil || !strings.Contains(err.Error(), "another service listens on") {
		t.Errorf("a second service: %v", err)
	}
	// A service that was killed leaves its socket.
	_ = l.(*ownSocket).in.Close()
	again, err := ListenUnix(path, -1)
	if err != nil {
		t.Fatalf("in a dead one's place: %v", err)
	}
	_ = l.Close()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the dead one removed it: %v", err)
	}
	_ = again.Close()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it is left: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{
		path: "is no socket", filepath.Join(dir, "none/sock"): "does not exist; make it", filepath.Join(path, "sock"): "",
	} {
		if _, err := ListenUnix(where, -1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", where, err, want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	for address, want := range map[string]string{"0.0.0.0:0": "tokens would be sent in clear", "example.com:1": "tokens would be sent in clear", "localhost": "address"} {
		if _, err := ListenTCP(address, false, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}

func TestAServiceDoesNotStartWhereItCannotRunAnything(t *testing.T) {
	r := prepare(t, forMe)
	cfg := Config{Policy: r.policy, RealmPath: filepath.Join(r.dir(), "none"), Logger: quiet(), Stderr: io.Discard}
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "realm") {
		t.Errorf("without a realm: %v", err)
	}
	cfg.RealmPath = realmPath
	cfg.Policy = filepath.Join(r.dir(), "none.yaml")
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("without a policy: %v", err)
	}
	s := serve(t, forMe)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.check(ctx); err == nil {
		t.Error("a check that was given up passes")
	}
}
