package service

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const asking = "version: 1\nceilings: {tools: {allowed: [ask]}}\ncallers: [{uid: ME, grants: true}]\n"

// drain stops the service in the background, and returns when it has begun to.
func (r *running) drain(patience time.Duration) (stopped <-chan struct{}) {
	r.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.stop(patience)
	}()
	eventually(r.t, "it drains", func() bool { return r.notes.count("STOPPING=1") == 1 })
	return done
}

func TestDrainingTakesNoRunsAndHearsCallersOfThoseThatLive(t *testing.T) {
	r := serve(t, asking)
	live := r.live(`{"requestId": "a", "source": "await dataProxy.request('ask', 1)", "grants": {}, "tools": ["ask"]}`)
	asked := live.until("data_request")
	endless := r.live(`{"requestId": "b", "source": "console.log(1); for (;;);"}`)
	endless.until("status")
	idle := r.dial()  // has said nothing
	begun := r.dial() // in the middle of a request when the service begins to stop
	_, _ = io.WriteString(begun, "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n")
	r.send("GET", "/healthz", "") // r.client has a connection, and keeps it
	eventually(t, "all connections are open", func() bool { return r.conns.open() == 5 })
	stopped := r.drain(time.Minute)
	if status, text := r.send("GET", "/readyz", ""); status != 503 || !strings.Contains(text, "the service is being stopped") {
		t.Errorf("readiness over a connection that is kept: %d %s", status, text)
	}
	r.client = unixClient(r.socket)
	if status, _ := r.send("GET", "/readyz", ""); status != 503 {
		t.Errorf("readiness over a new connection: %d", status)
	}
	if status, text := r.send("POST", "/v1/runs", `{"source": "1"}`); status != 503 || !strings.Contains(text, "the service is being stopped") {
		t.Errorf("a run: %d %s", status, text)
	}
	if status, text := r.send("DELETE", "/v1/runs/b", ""); status != 204 {
		t.Errorf("an abort: %d %s", status, text)
	}
	if last := endless.until("error"); last["code"] != "ABORTED" || last["message"] != "aborted by the caller" {
		t.Errorf("the run that was aborted ended with %v", last)
	}
	answer := js(map[string]any{"dataRequestId": asked["dataRequestId"], "data": "yes"})
	_, _ = fmt.Fprintf(idle, "POST /v1/runs/a/responses HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
	if line, err := bufio.NewReader(idle).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 204") {
		t.Errorf("an answer: %q %v", line, err)
	}
	if last := live.until("result"); last["payload"] != "yes" {
		t.Errorf("the run ended with %v", last)
	}
	_, _ = io.WriteString(begun, `{"source": "1"}`)
	end, _ := io.ReadAll(begun)
	if text := string(end); !strings.HasPrefix(text, "HTTP/1.1 503") && !strings.HasPrefix(text, "HTTP/1.1 200") {
		t.Errorf("a request that had begun: %q", text)
	}
	<-stopped
	if _, err := os.Stat(r.socket); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

// A socket of the service manager's is the next service's from then on: who connects waits for it.
func TestWhoConnectsToAPassedSocketWhileItDrainsWaitsForTheNextService(t *testing.T) {
	r := prepare(t, asking)
	path := filepath.Join(r.dir(), "passed")
	held, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	pass := func() []net.Listener {
		file, err := held.File()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		l, err := net.FileListener(file)
		if err != nil {
			t.Fatal(err)
		}
		return []net.Listener{passed{l}}
	}
	r.start(pass())
	over := *r
	over.socket, over.client = path, unixClient(path)
	live := over.live(`{"requestId": "a", "source": "await dataProxy.request('ask', 1)", "grants": {}, "tools": ["ask"]}`)
	asked := live.until("data_request")
	over.send("GET", "/healthz", "") // over.client has a connection, and keeps it
	stopped := r.drain(time.Minute)
	waiting := over.dial()
	if _, err := io.WriteString(waiting, post(`{"source": "6 * 7"}`, "*/*")); err != nil {
		t.Fatal(err)
	}
	if status, text := over.send("POST", "/v1/runs/a/responses", js(map[string]any{"dataRequestId": asked["dataRequestId"], "data": "yes"})); status != 204 {
		t.Errorf("an answer over a connection that is kept: %d %s", status, text)
	}
	if last := live.until("result"); last["payload"] != "yes" {
		t.Errorf("the run ended with %v", last)
	}
	<-stopped
	r.start(pass())
	res, err := http.ReadResponse(bufio.NewReader(waiting), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(res.Body); res.StatusCode != 200 || !strings.Contains(string(text), `"value":42`) {
		t.Errorf("who waited: %d %s %v", res.StatusCode, text, err)
	}
}

func TestWhatIsLeftAfterDrainingIsAbortedAndTold(t *testing.T) {
	r := serve(t, forMe+"pool: {maxConcurrent: 1}\n")
	live := r.live(`{"source": "console.log(1); for (;;);"}`)
	live.until("status")
	waiting := r.waiting()
	stopped := r.drain(50 * time.Millisecond)
	if last := live.until("error"); last["code"] != "ABORTED" || last["message"] != "aborted: the service is being stopped" {
		t.Errorf("%v", last)
	}
	if text, _ := io.ReadAll(waiting); !strings.HasPrefix(string(text), "HTTP/1.1 503") || !strings.Contains(string(text), `"detail":"the service is being stopped"`) {
		t.Errorf("the one that waited: %s", text)
	}
	<-stopped
}
