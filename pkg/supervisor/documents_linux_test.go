//go:build linux && !v8go_upstream

package supervisor_test

import (
	"strings"
	"testing"
)

func TestDocumentsNameTheEngineThatRuns(t *testing.T) {
	runs := succeed(t, `1`).Receipt.Realm.V8
	version := runs[:len(runs)-len(strings.TrimLeft(runs, "0123456789."))]
	for path, says := range map[string]string{
		"../../SECURITY.md":          version + " by default",
		"../../docs/SUPPLY_CHAIN.md": "V8 " + version + " by default",
		"../../docs/licenses.txt":    "realm V8 " + version + " ",
	} {
		contains(t, read(t, path), says)
	}
}
