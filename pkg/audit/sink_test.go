package audit

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
)

func note(target string) *Record {
	return &Record{Run: "r", Op: 1, Capability: "filesystem.read", Target: target, Outcome: Allowed}
}

func mustAppend(t *testing.T, s Sink, targets ...string) {
	t.Helper()
	for _, target := range targets {
		if err := s.Append(note(target)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEverySinkMakesAChainThatVerifies(t *testing.T) {
	var text, called bytes.Buffer
	memory := NewMemory()
	function := NewFunc(func(r Record) error {
		line, err := r.MarshalJSON()
		called.Write(append(line, '\n'))
		return err
	})
	all := Tee(NewWriter(&text), memory, function)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() { mustAppend(t, all, "a", "b", "c") })
	}
	work.Wait()
	head, err := all.Sync()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Verify(&text)
	if err != nil || sum.Records != 24 || sum.Head != head {
		t.Errorf("writer: %+v, %v; head %s", sum, err, head)
	}
	if sum, err := Verify(&called); err != nil || sum.Records != 24 {
		t.Errorf("func: %+v, %v", sum, err)
	}
	records := memory.Records()
	if len(records) != 24 || records[0].Prev != Genesis || records[23].Prev != records[22].Hash {
		t.Errorf("memory: %d records, not chained", len(records))
	}
}

func TestRefusingFunctionLeavesTheChainWhereItWas(t *testing.T) {
	refuse := errors.New("no")
	var got []Record
	s := NewFunc(func(r Record) error {
		if r.Target == "bad" {
			return refuse
		}
		got = append(got, r)
		return nil
	})
	mustAppend(t, s, "a")
	if err := s.Append(note("bad")); !errors.Is(err, refuse) {
		t.Fatal(err)
	}
	mustAppend(t, s, "b")
	if got[1].Seq != 2 || got[1].Prev != got[0].Hash {
		t.Errorf("%+v does not follow %+v", got[1], got[0])
	}
}

type shortWriter struct{ room int }

func (w *shortWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	w.room -= n
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

func TestWriterThatFailedOnceRefusesEverythingAfter(t *testing.T) {
	w := &shortWriter{room: 400}
	s := NewWriter(w)
	mustAppend(t, s, "a")
	for range 2 {
		if err := s.Append(note("b")); !errors.Is(err, io.ErrShortWrite) {
			t.Fatal(err)
		}
		w.room = 1 << 20
	}
}

func TestTeeFailsWhenOneSinkFails(t *testing.T) {
	memory := NewMemory()
	s := Tee(memory, NewWriter(&shortWriter{}))
	if err := s.Append(note("a")); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := memory.Append(note("b")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestTeeReturnsTheRecordOfTheFirstSink(t *testing.T) {
	first, second := NewMemory(), NewMemory()
	mustAppend(t, first, "only here")
	r := note("both")
	if err := Tee(first, second).Append(r); err != nil {
		t.Fatal(err)
	}
	if r.Seq != 2 || second.Records()[0].Seq != 1 || second.Records()[0].Timestamp != r.Timestamp {
		t.Errorf("first %+v, second %+v", r, second.Records()[0])
	}
}
