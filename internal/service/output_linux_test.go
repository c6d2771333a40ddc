package service

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

// What a client leaves unread is bounded in bytes: the answer that would be too much ends with its run.
// Covers: T-LOC-02
func TestUnreadAnswersTakeBoundedMemory(t *testing.T) {
	r := serve(t, forMe)
	r.answers.mu.Lock()
	r.answers.each = 512 << 10
	r.answers.mu.Unlock()
	const more = `"\u0001".repeat(2000)`
	for claim, c := range map[string]struct{ source, accept string }{
		"console":  {`for (let i = 0; i < 120; i++) console.log(` + more + `); for (;;);`, ndjson},
		"status":   {`for (let i = 0; i < 120; i++) reportStatus("s", ` + more + `); for (;;);`, ndjson},
		"result":   {more + `.repeat(200)`, ndjson},
		"document": {more + `.repeat(200)`, "*/*"},
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
	if n := r.figures()["supervisor_dropped_answers_total"]; n != 4 {
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
