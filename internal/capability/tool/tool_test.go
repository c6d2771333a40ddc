package tool

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

func ticket(t *testing.T, name string) grants.ToolCall {
	t.Helper()
	call, err := grants.NewChecker(grants.Grants{Tools: grants.Tools{Allowed: []string{name}}}).Tool(name, true)
	if err != nil {
		t.Fatal(err)
	}
	return call
}

func TestAnswerAndErrorPassThrough(t *testing.T) {
	own := errors.New("no such account")
	got, err := Call(t.Context(), ticket(t, "get"), func(_ context.Context, params json.RawMessage) (any, error) {
		return string(params), own
	}, json.RawMessage(`{"id":42}`))
	if got != `{"id":42}` || err != own {
		t.Fatal(got, err)
	}
}

func TestPanicStaysInItsCall(t *testing.T) {
	for name, f := range map[string]Func{
		"panic":  func(context.Context, json.RawMessage) (any, error) { panic("secret detail") },
		"nil":    func(context.Context, json.RawMessage) (any, error) { panic(nil) },
		"index":  func(_ context.Context, params json.RawMessage) (any, error) { return params[0], nil },
		"goexit": func(context.Context, json.RawMessage) (any, error) { runtime.Goexit(); return nil, nil },
	} {
		answer, err := Call(t.Context(), ticket(t, "get"), f, nil)
		var failed *Error
		if !errors.As(err, &failed) || failed.Code() != CodePanic || answer != nil {
			t.Fatalf("%s: %v %v", name, answer, err)
		}
		if strings.Contains(failed.Error(), "secret") || failed.Host == nil {
			t.Errorf("%s: the guest sees %q", name, failed.Error())
		}
	}
}

// Covers: L5
func TestToolThatNeverAnswersIsLeftBehind(t *testing.T) {
	release, left := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{})
	go func() { <-started; cancel() }()
	answer, err := Call(ctx, ticket(t, "get"), func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(started)
		<-ctx.Done() // it is told
		<-release    // and does not care
		defer close(left)
		return "late", nil
	}, nil)
	if answer != nil || !errors.Is(err, context.Canceled) {
		t.Fatal(answer, err)
	}
	close(release)
	<-left // the late answer blocks nobody
}

func TestEndedRunStartsNoTool(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Call(ctx, ticket(t, "get"), func(context.Context, json.RawMessage) (any, error) {
		t.Error("it ran")
		return nil, nil
	}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestZeroTicketIsRefused(t *testing.T) {
	_, err := Call(t.Context(), grants.ToolCall{}, func(context.Context, json.RawMessage) (any, error) {
		t.Error("it ran")
		return nil, nil
	}, nil)
	if !errors.Is(err, capability.ErrTicket) {
		t.Fatal(err)
	}
}

func TestCallsRunBesideEachOther(t *testing.T) {
	const calls = 8
	var arrived sync.WaitGroup
	arrived.Add(calls)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			_, err := Call(t.Context(), ticket(t, "get"), func(context.Context, json.RawMessage) (any, error) {
				arrived.Done()
				arrived.Wait()
				return nil, nil
			}, nil)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
