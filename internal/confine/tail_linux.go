package confine

import (
	"os"
	"strings"
	"sync"
	"time"
)

// tailBytes of a realm's standard error are kept: V8's last words.
const tailBytes = 4 << 10

// tail keeps the first bytes of a stream and throws the rest away, so that its
// writer never blocks.
type tail struct {
	f    *os.File
	done chan struct{}
	mu   sync.Mutex
	text []byte
}

func readTail(f *os.File) *tail {
	t := &tail{f: f, done: make(chan struct{})}
	go t.read()
	return t
}

func (t *tail) read() {
	defer close(t.done)
	buf := make([]byte, 1<<10)
	for {
		n, err := t.f.Read(buf)
		t.mu.Lock()
		t.text = append(t.text, buf[:min(n, tailBytes-len(t.text))]...)
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\ufffd"))
}

// close waits for what a dead writer left in the pipe.
func (t *tail) close() string {
	_ = t.f.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	<-t.done
	_ = t.f.Close()
	return t.String()
}
