package broker

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/rpc"
)

func TestEveryRealmOpHasOneRow(t *testing.T) {
	seen := map[rpc.Op]int{}
	for _, r := range table {
		seen[r.op]++
		if r.states == 0 || r.max == nil || r.handle == nil {
			t.Errorf("%s: incomplete row", r.op)
		}
	}
	for _, op := range rpc.Ops() {
		want := 1
		if op >= rpc.OpExecute || op == rpc.OpReady { // ours to send; read by the handshake
			want = 0
		}
		if seen[op] != want {
			t.Errorf("%s has %d rows, want %d", op, seen[op], want)
		}
	}
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// The protocol's document, the ops and the table say the same.
func TestTheDocumentListsEveryOpOnce(t *testing.T) {
	text, err := os.ReadFile("../../docs/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) > 3 && isNumber(strings.TrimSpace(cells[1])) {
			if _, dup := rows[strings.TrimSpace(cells[2])]; dup {
				t.Errorf("two rows of %s", cells[2])
			}
			rows[strings.TrimSpace(cells[2])] = strings.TrimSpace(cells[1])
		}
	}
	for _, op := range rpc.Ops() {
		if got, want := rows[op.String()], strconv.Itoa(int(op)); got != want {
			t.Errorf("%s is %q in the document, %s in the code", op, got, want)
		}
	}
}
