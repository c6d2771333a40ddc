package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

func TestEventsAreForWhoAsksForThem(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "application/*": false, "text/html": false, "nonsense;;": false,
		"application/x-ndjson": true, "application/ndjson": true, "Application/X-NDJSON; charset=utf-8": true,
		"application/x-ndjson, application/json": true, "application/json, application/x-ndjson": true, "application/x-ndjson, */*": true,
		"text/html, application/x-ndjson;q=0.9":                                true,
		"application/x-ndjson;q=0":                                             false,
		"application/x-ndjson;q=0, application/ndjson;q=1":                     true,
		"application/x-ndjson;q=nan":                                           false,
		"application/x-ndjson;q=high":                                          false,
		"application/json, application/x-ndjson;q=0.5":                         false,
		"application/x-ndjson;q=0.5, */*":                                      false,
		"application/x-ndjson;q=0.5, */*, application/json;q=0.1":              true,
		"application/json;q=0.1, application/x-ndjson;q=0.5, application/*":    true,
		"application/json;q=0.7, application/x-ndjson; q=0.8, text/plain; q=1": true,
	} {
		if streamed([]string{accept}) != want {
			t.Errorf("%q: %v", accept, !want)
		}
	}
	if !streamed([]string{"text/html", "application/x-ndjson"}) {
		t.Error("the second of two headers is not read")
	}
}

// What a client leaves unread is bounded in bytes: the answer that would be too much ends with its run.
// Covers: T-LOC-02
func TestUnreadAnswersTakeBoundedMemory(t *testing.T) {
	r := serve(t, forMe)
	r.answers.mu.Lock()
	r.answers.each = 512 << 10
	r.answers.mu.Unlock()
	const more = `"\u0001".repeat(2000)`
	for claim, c := range map[string]struct{ source, accept string }{
		"console": {`for (let i = 0; i < 120; i++) console.log(` + more + `); for (;;);`, ndjson},
		"status":  {`for (let i = 0; i < 120; i++) reportStatus("s", ` + more + `); for (;;);`, ndjson},
		"result":  {more + `.repeat(200)`, ndjson},
	} {
		before := strings.Count(r.logs.String(), "too much is unread")
		conn := r.dial()
		if _, err := io.WriteString(conn, post(js(map[string]any{"source": c.source, "grants": map[string]any{}}), c.accept)); err != nil {
			t.Fatal(err)
		}
		eventually(t, claim+": the answer is ended", func() bool {
			return strings.Count(r.logs.String(), "too much is unread") == before+1 && r.liveRuns() == 0 && r.answers.taken() == 0 && r.conns.open() == 0
		})
		if text, err := io.ReadAll(conn); err == nil && strings.HasSuffix(string(text), "\r\n0\r\n\r\n") {
			t.Errorf("%s: the answer looks whole", claim)
		}
	}
	if n := strings.Count(r.logs.String(), "code=ABORTED"); n != 2 {
		t.Errorf("%d live runs were aborted", n)
	}
	if res := r.run(`{"source": "1"}`); res.Status != "ok" {
		t.Errorf("afterwards: %+v", res)
	}
	if res := r.run(js(map[string]any{"source": more + `.repeat(200)`, "grants": map[string]any{}})); res.Status != "error" ||
		res.Error.Code != "VALIDATION" || !strings.Contains(res.Error.Message, "too much to be held") || r.answers.taken() != 0 {
		t.Errorf("document: %+v", res)
	}
	if n := r.figures()["supervisor_dropped_answers_total"]; n != 3 {
		t.Errorf("%v answers are counted", n)
	}
}

// slowReader takes so long for each part.
type slowReader struct {
	http.ResponseWriter
	each     time.Duration
	deadline time.Time
}

func (r *slowReader) SetWriteDeadline(t time.Time) error {
	r.deadline = t
	return nil
}

func (r *slowReader) Write(b []byte) (int, error) {
	if time.Now().Add(r.each).After(r.deadline) {
		time.Sleep(time.Until(r.deadline))
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(r.each)
	return len(b), nil
}

// Covers: T-LOC-02
func TestAnAnswerIsReadInATimeInProportionToItsSize(t *testing.T) {
	const size, patience = 4 << 20, 30 * time.Second
	for each, whole := range map[time.Duration]bool{29 * time.Second: false, 2 * time.Second: false, time.Second: true} {
		synctest.Test(t, func(t *testing.T) { // the time is the bubble's own
			began := time.Now()
			w := newPatientWriter(&slowReader{each: each}, patience)
			w.write(make([]byte, size))
			if took := time.Since(began); w.failed() == whole || took > patience+size/slowest*time.Second {
				t.Errorf("%v for each part: failed %v after %v", each, w.failed(), took)
			}
			if !whole && !errors.Is(w.err, os.ErrDeadlineExceeded) {
				t.Errorf("%v for each part: %v", each, w.err)
			}
		})
	}
}

// A run that the host did not come to is answered as one that waited in vain.
func TestAnAnswerSaysWhenNothingRan(t *testing.T) {
	for code, status := range map[supervisor.Code]int{supervisor.CodeCapacity: 429, supervisor.CodeUnenforceable: 503, supervisor.CodeInternal: 500} {
		o := documentOutput{unread: &unread{budget: newBudget(), who: "me"}}
		p, ok := o.end(&supervisor.Result{}, &supervisor.Error{Code: code, Message: "nothing ran"}).(*problem)
		if !ok || p.Status != status || p.Code != code {
			t.Errorf("%s: %+v", code, p)
		}
	}
}

// Results are decoded and encoded in room that they have taken before, whichever form the answer has and however the run
// ended, and give it back.
// Covers: T-LOC-02
func TestResultsInFlightTakeBoundedMemory(t *testing.T) {
	r := serve(t, forMe)
	r.values.mu.Lock()
	r.values.each, r.values.all = 1, 1 // one at a time
	r.values.mu.Unlock()
	const size, fields = 1 << 20, 64 << 10
	var most atomic.Int64
	done, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		for {
			select {
			case <-done:
				return
			default:
				most.Store(max(most.Load(), r.values.taken()))
				runtime.Gosched()
			}
		}
	}()
	var all sync.WaitGroup
	for i := range 12 {
		accept, source := []string{"application/json", ndjson}[i%2], fmt.Sprintf(`"\u0001".repeat(%d)`, size)
		if i >= 8 {
			source = fmt.Sprintf(`throw {message: "no", text: %s}`, source)
		}
		all.Go(func() {
			status, text := r.send("POST", "/v1/runs", js(map[string]any{"source": source}), "Accept", accept)
			if escaped := strings.Count(text, `\u0001`); status != 200 || i < 8 && escaped != size || i >= 8 && !strings.Contains(text, `"RUNTIME"`) {
				t.Errorf("%s, %.40s: %d, %d escaped", accept, source, status, escaped)
			}
		})
	}
	all.Wait()
	close(done)
	<-sampled
	if n := most.Load(); n < 16*size || n > 16*size+fields {
		t.Errorf("results had room of %d bytes at one time", n)
	}
	eventually(t, "nothing is left", func() bool { return r.values.taken() == 0 })
}

// An event in parts is the line that it would be as a whole.
func TestEventsInPartsAreTheirLine(t *testing.T) {
	for _, e := range []supervisor.Event{
		{Type: supervisor.EventResult, RequestID: "a<}\n\"", Payload: "<\u0001>", Stats: &supervisor.Stats{WallMs: 1}},
		{Type: supervisor.EventResult, Payload: supervisor.Undefined, Stats: &supervisor.Stats{}},
		{Type: supervisor.EventDataRequest, RequestID: "a", DataRequestID: "d1", Method: "ask", Params: json.RawMessage(`{"a":"}"}`)},
		{Type: supervisor.EventStatus, RequestID: "a", Stage: "s", Message: "m\n"},
		{Type: supervisor.EventError, RequestID: "b", Err: &supervisor.Error{Code: supervisor.CodeOOM, Message: "m"}, Stats: &supervisor.Stats{}},
	} {
		whole, err := encode(e)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := encodeEvent(e)
		line := bytes.Join(parts, nil)
		var got, want any // one of them may escape more than it must
		if err != nil || json.Unmarshal(line, &got) != nil || json.Unmarshal(whole, &want) != nil || !reflect.DeepEqual(got, want) || bytes.Count(line, []byte("\n")) != 1 {
			t.Errorf("%v\n  parts %s\n  whole %s", err, line, whole)
		}
	}
}
