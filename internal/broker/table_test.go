package broker

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
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
	documented := map[string][]string{} // by name: number, name, state, largest payload
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")[1:]
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) > 3 && isNumber(cells[0]) {
			if documented[cells[1]] != nil {
				t.Errorf("two rows of %s", cells[1])
			}
			documented[cells[1]] = cells
		}
	}
	for _, op := range rpc.Ops() {
		if d := documented[op.String()]; d == nil || d[0] != strconv.Itoa(int(op)) {
			t.Errorf("%s is %v in the document, %d in the code", op, d, op)
		}
	}
	b := &Broker{limits: grants.Resources{}.Resolve()}
	for _, r := range table {
		d := documented[r.op.String()]
		if d == nil {
			continue
		}
		if want := size(t, d[3], b.limits); r.max(b) != want {
			t.Errorf("%s may have %d bytes, the document says %s", r.op, r.max(b), d[3])
		}
		if r.states != running || d[2] != "running" {
			t.Errorf("%s may come in state %d, the document says %s", r.op, r.states, d[2])
		}
	}
}

// size is a sum of sizes and limits, such as "256 KiB + maxLogBytes".
func size(t *testing.T, text string, limits grants.Limits) (sum int) {
	t.Helper()
	for part := range strings.SplitSeq(text, " + ") {
		number, unit, _ := strings.Cut(part, " ")
		n, _ := strconv.Atoi(number)
		switch unit {
		case "KiB":
			sum += n << 10
		case "MiB":
			sum += n << 20
		default:
			for _, l := range grants.LimitTable() {
				if l.Key == part {
					sum += int(l.Value(grants.Resources(limits)))
				}
			}
		}
	}
	return sum
}
