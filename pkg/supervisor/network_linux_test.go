package supervisor_test

import (
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

const fetching = "import { fetch, fetchText } from 'realm:capabilities';\n"

func origins(list ...string) change {
	return granted(grants.Grants{Network: grants.Network{Origins: list}})
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestGrantedOriginsAreFetched(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.Header.Get("X-Mine")+" "+string(body))
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, `{"n": [1, "é"]}`)
	})
	g := granted(grants.Grants{Network: grants.Network{Origins: []string{s.URL}, Methods: []string{"GET", "POST"}}})
	yields(t, `[418,false,"POST yes data",{"n":[1,"é"]}]`, fetching+`export default async url => {
		const r = await fetch(url + '/a', {method: 'POST', headers: {'X-Mine': 'yes'}, body: 'data'});
		return [r.status, r.ok, r.headers.get('x-seen'), await r.json()];
	}`, g, args(s.URL))
	res := succeed(t, fetching+`export default async url => { const r = await fetchText(url); return [r.status, r.body, r.headers['x-seen']] }`, g, args(s.URL))
	if text, _ := res.ValueJSON(); string(text) != `[418,"{\"n\": [1, \"é\"]}","GET"]` || res.Stats.NetworkBytes == 0 {
		t.Errorf("%s, %+v", text, res.Stats)
	}
	_, e := fails(t, supervisor.ErrDenied, fetching+`export default url => fetch(url, {method: 'DELETE'})`, g, args(s.URL))
	if e.Capability != "network" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
}

// Case N1
func TestARedirectIsDecidedAtItsHop(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	other := serve(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	target := ""
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/end" {
			_, _ = io.WriteString(w, "end")
			return
		}
		http.Redirect(w, r, target, http.StatusFound)
	})
	for _, target = range []string{"http://169.254.169.254/latest/meta-data", other.URL, "file:///etc/passwd", "http://localhost:1/", "//[::1]:1/"} {
		_, e := fails(t, supervisor.ErrDenied, fetching+`export default url => fetchText(url)`, origins(s.URL), args(s.URL+"/start"))
		if e.Capability != "network" {
			t.Errorf("%s: %+v", target, e)
		}
	}
	if reached.Load() != 0 {
		t.Error("the other origin was reached")
	}
	target = "/end"
	yields(t, `"end"`, fetching+`export default async url => (await fetchText(url)).body`, origins(s.URL), args(s.URL+"/start"))
}

// Case N3, and what else a grant does not name
func TestUngrantedTargetsAreDenied(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	port := s.Listener.Addr().(*net.TCPAddr).Port
	for _, url := range []string{
		"http://ungranted.example/", s.URL + "0/", fmt.Sprintf("http://localhost:%d/", port), fmt.Sprintf("http://0x7f.1:%d/", port+1), fmt.Sprintf("http://2130706433:%d/", port+1),
		fmt.Sprintf("http://user:pass@127.0.0.1:%d/", port), fmt.Sprintf("https://127.0.0.1:%d/", port), fmt.Sprintf("ftp://127.0.0.1:%d/", port), "file:///etc/passwd", "data:text/plain,x", "", "//x", "nonsense",
	} {
		_, err := run(t, fetching+`export default url => fetchText(url)`, origins(s.URL), args(url))
		if e := supervisor.AsError(err); err == nil || e.Code != supervisor.CodeDenied {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// Case N4
func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "direct") })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	yields(t, `"direct"`, fetching+`export default async url => (await fetchText(url)).body`, origins(s.URL), args(s.URL))
}

// Case N5
func TestResponsesAboveTheirLimitAreDenied(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			zeros := make([]byte, 1<<20)
			for range 256 {
				if _, err := z.Write(zeros); err != nil {
					return
				}
			}
			_ = z.Close()
		case "/endless":
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		default:
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, path := range []string{"/bomb", "/endless"} {
		_, e := fails(t, supervisor.ErrDenied, fetching+`export default url => fetchText(url)`, origins(s.URL), args(s.URL+path))
		if e.Capability != "resource.bytes" {
			t.Errorf("%s: %+v", path, e)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("the heap has grown by %d", grown)
	}
	yields(t, `1048576`, fetching+`export default async url => (await fetchText(url)).body.length`, origins(s.URL), args(s.URL+"/fits"))
}

// Case N6
func TestADenialIsNotANetworkFault(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	_ = l.Close()
	resets := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	})
	source := fetching + `export default url => fetchText(url).catch(e => [e.name, e.capability, e.code ?? ''])`
	yields(t, `["SandboxOperationError","network","ECONNREFUSED"]`, source, origins(closed), args(closed))
	yields(t, `["SandboxOperationError","network","ECONNRESET"]`, source, origins(resets.URL), args(resets.URL))
	yields(t, `["SandboxDeniedError","network",""]`, source, origins(resets.URL), args(closed))
	fails(t, supervisor.ErrRuntime, fetching+`export default url => fetchText(url)`, origins(closed), args(closed))
}

func TestTLSIsVerified(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	t.Cleanup(s.Close)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	source := fetching + `export default url => fetchText(url).then(r => r.body, e => e.code)`
	yields(t, `"CERT_UNTRUSTED"`, source, origins(s.URL), args(s.URL))
	ca := write(t, t.TempDir()+"/ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	trusting := supervise(t, supervisor.Config{RootCAFile: ca})
	if res, err := runIn(t, trusting, source, origins(s.URL), args(s.URL)); err != nil || !strings.HasPrefix(fmt.Sprint(res.Value), "HTTP/") {
		t.Errorf("%v, %v", res.Value, err)
	}
}

// Case L5
func TestAFetchThatNeverAnswersIsATimeout(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	})
	_, e := fails(t, supervisor.ErrTimeout, fetching+`export default url => fetchText(url)`, origins(s.URL), args(s.URL), limited(supervisor.Limits{WallClockMs: 500}))
	contains(t, strings.Join(e.Pending, " "), "network "+s.URL)
	<-gone
}
