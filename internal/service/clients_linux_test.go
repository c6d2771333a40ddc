package service

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const forMe = "version: 1\ncallers: [{uid: ME, grants: true}]\n"

func (r *running) dial() net.Conn {
	r.t.Helper()
	c, err := net.Dial("unix", r.socket)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

// post is a request as it goes over the wire.
func post(body, accept string) string {
	return fmt.Sprintf("POST /v1/runs HTTP/1.1\r\nHost: x\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s", accept, len(body), body)
}

func (r *running) liveRuns() int { return len(r.runs.of(fmt.Sprintf("uid:%d", os.Getuid()))) }

func TestAClientThatGoesAwayAbortsItsRun(t *testing.T) {
	r := serve(t, forMe)
	for _, accept := range []string{"application/json", ndjson} {
		c := r.dial()
		if _, err := io.WriteString(c, post(`{"source": "console.log(1); for (;;);"}`, accept)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the run lives", func() bool {
			runs := r.runs.of(fmt.Sprintf("uid:%d", os.Getuid()))
			return len(runs) == 1 && runs[0].begun() != nil
		})
		_ = c.Close()
		eventually(t, "the run is over", func() bool { return r.liveRuns() == 0 })
		live, waiting := r.gate.counts()
		if live != 0 || waiting != 0 {
			t.Errorf("%s: %d live, %d waiting", accept, live, waiting)
		}
	}
	eventually(t, "both are told", func() bool { return strings.Count(r.logs.String(), "code=ABORTED") == 2 })
}

// waiting is a connection whose run waits for a place.
func (r *running) waiting() net.Conn {
	r.t.Helper()
	c := r.dial()
	if _, err := io.WriteString(c, post(`{"source": "1"}`, "*/*")); err != nil {
		r.t.Fatal(err)
	}
	eventually(r.t, "it waits", func() bool { _, w := r.gate.counts(); return w == 1 })
	return c
}

func TestAClientThatGoesAwayWhileItWaitsLeavesTheQueue(t *testing.T) {
	r := serve(t, "version: 1\ncallers: [{uid: ME, grants: true}]\npool: {maxConcurrent: 1}\n")
	live := r.live(`{"source": "console.log(1); for (;;);"}`)
	live.until("status")
	_ = r.waiting().Close()
	eventually(t, "it is gone", func() bool { _, w := r.gate.counts(); return w == 0 && r.liveRuns() == 1 })
}

func TestARunThatItsCallerAbortsWhileItWaitsIsAnsweredAsOne(t *testing.T) {
	r := serve(t, "version: 1\ncallers: [{uid: ME, grants: true}]\npool: {maxConcurrent: 1}\n")
	live := r.live(`{"source": "console.log(1); for (;;);"}`)
	live.until("status")
	other := *r
	other.client, _ = describedClient(t, unixClient(r.socket).Transport)
	for accept, want := range map[string]string{
		"application/json": `{"requestId":"w","status":"error","error":{"code":"ABORTED","message":"aborted while waiting for a free realm","phase":"launch"},`,
		ndjson:             `{"type":"error","requestId":"w","code":"ABORTED",`,
	} {
		answer := make(chan string, 1)
		go func() {
			status, text := other.send("POST", "/v1/runs", `{"source": "1", "requestId": "w"}`, "Accept", accept)
			answer <- fmt.Sprint(status, " ", text)
		}()
		eventually(t, "it waits", func() bool { _, w := r.gate.counts(); return w == 1 })
		if status, text := r.send("DELETE", "/v1/runs/w", ""); status != 204 {
			t.Errorf("%s: the abort: %d %s", accept, status, text)
		}
		if text := <-answer; !strings.HasPrefix(text, "200 "+want) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: %s", accept, text)
		}
	}
	if logs := r.logs.String(); strings.Contains(logs, "level=ERROR") || strings.Count(logs, "run=w") != 2 {
		t.Error(logs)
	}
	if n := r.figures()["supervisor_runs_total code=ABORTED"]; n != 2 {
		t.Errorf("%v are counted", n)
	}
}

// Covers: T-LOC-02
func TestSlowClientsAreGivenUp(t *testing.T) {
	const patience = 300 * time.Millisecond
	r := serve(t, "version: 1\nceilings: {resources: {maxResultBytes: 33554432, memoryMb: 256}}\ncallers: [{uid: ME, grants: true}]\n", func(c *Config) { c.patience = patience })
	for claim, sent := range map[string]string{
		"half a header":                   "POST /v1/runs HTTP/1.1\r\nHost: x\r\n",
		"nothing":                         "",
		"half a body":                     "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
		"half a chunk":                    "POST /v1/runs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{",
		"a header that is too long":       "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 64<<10),
		"no HTTP":                         "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"two lengths":                     "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
		"a length that is too large":      "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n{",
		"a body that nobody wants":        "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
		"a body for nothing":              "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
		"half a body of another type":     "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n{",
		"answers to a run that is no run": "POST /v1/runs/x/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
	} {
		c := r.dial()
		if _, err := io.WriteString(c, sent); err != nil {
			continue // closed while it was sent
		}
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, c); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%s: the connection stays: %v", claim, err)
		}
	}
	// Answers that nobody reads, to questions that need no run: more than the socket's buffers hold.
	questions := r.dial()
	if _, err := io.WriteString(questions, strings.Repeat("GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 400)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "they are given up", func() bool { return r.conns.open() == 0 })
	// A result that nobody reads: more than the socket's buffers hold.
	c := r.dial()
	body := `{"source": "'x'.repeat(2e7)", "grants": {}, "limits": {"maxResultBytes": 33554432}}`
	if _, err := io.WriteString(c, post(body, "*/*")); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the answer is given up", func() bool { return r.liveRuns() == 0 && r.bodies.taken() == 0 })
	eventually(t, "no connection is left", func() bool { return r.conns.open() == 0 })
	if res := r.run(`{"source": "1"}`); res.Status != "ok" {
		t.Errorf("afterwards: %+v", res)
	}
}

// 200 clients at once, slow and broken ones among them: each that is well gets its own answer.
func TestManyClientsAtOnce(t *testing.T) {
	r := serve(t, "version: 1\nceilings: {resources: {maxResultBytes: 33554432, memoryMb: 256}}\ncallers: [{uid: ME, grants: true}]\n",
		func(c *Config) { c.patience = 5 * time.Second; c.QueueTimeout = time.Minute })
	var stuck []net.Conn
	broken := []string{
		"", "POST /v1/runs HT", "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{",
		post(`{"source": "for (;;);", "limits": {"wallClockMs": 3000}}`, "*/*"),                                           // goes away
		post(`{"source": "'x'.repeat(2e7)", "grants": {}, "limits": {"maxResultBytes": 33554432}}`, "*/*"),                // never reads
		post(`{"source": "for (let i = 0; i < 100; i++) console.log('x'.repeat(1000)); 1", "requestId": "same"}`, ndjson), // one of them lives
	}
	for i := range 40 {
		c, what := r.dial(), i%3
		if i < 6 {
			what = 3 + i%3
		}
		_, _ = io.WriteString(c, broken[what])
		if what == 3 {
			_ = c.Close()
		}
		stuck = append(stuck, c)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	var mu sync.Mutex
	wrong := map[string]int{}
	client := unixClient(r.socket)
	for i := range 160 {
		all.Go(func() {
			res, err := client.Post("http://x/v1/runs", "application/json", strings.NewReader(fmt.Sprintf(`{"source": "%d * 2"}`, i)))
			text := ""
			if err == nil {
				body, _ := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if text = string(body); res.StatusCode == http.StatusOK && strings.Contains(text, fmt.Sprintf(`"value":%d,`, 2*i)) {
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			wrong[fmt.Sprintf("%v %.200s", err, text)]++
		})
	}
	all.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(wrong) > 0 {
		t.Errorf("wrong: %v", wrong)
	}
	// Two answers of 20 MB that nobody reads are still held, as its text.
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 112<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	for _, c := range stuck {
		_ = c.Close()
	}
	eventually(t, "nothing is left", func() bool { l, w := r.gate.counts(); return l+w+r.liveRuns() == 0 && r.gate.known() == 0 })
}

// Covers: T-LOC-02
func TestConnectionsAreBounded(t *testing.T) {
	r := serve(t, forMe)
	r.admissionLimit(t, 3)
	var open []net.Conn
	for range 3 {
		c := r.dial()
		open = append(open, c)
		eventually(t, "it is let in", func() bool { return r.conns.open() == len(open) })
	}
	answer, err := io.ReadAll(r.dial())
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 503 ") || !strings.Contains(string(answer), `"code":"CAPACITY"`) {
		t.Errorf("one more: %q %v", answer, err)
	}
	res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(answer))), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); err != nil || int64(len(body)) != res.ContentLength {
		t.Errorf("its body: %q %v", body, err)
	}
	_ = open[0].Close()
	eventually(t, "one left", func() bool { return r.conns.open() == 2 })
	if status, _ := r.send("GET", "/healthz", ""); status != 200 {
		t.Errorf("in its place: %d", status)
	}
}

// admissionLimit pretends that this user has all but n of its connections.
func (r *running) admissionLimit(t *testing.T, n int) {
	t.Helper()
	r.conns.mu.Lock()
	defer r.conns.mu.Unlock()
	r.conns.each[fmt.Sprintf("uid:%d", os.Getuid())] += maxCallerConns - n
}
