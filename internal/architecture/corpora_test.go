package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// What fuzzing has found interesting runs with every test, not only where it was found.
func TestEveryFuzzTargetHasACorpus(t *testing.T) {
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	found := 0
	eachTest(t, func(dir string, text []byte) {
		for _, m := range target.FindAllSubmatch(text, -1) {
			found++
			corpus := filepath.Join("testdata", "fuzz", string(m[1]))
			if files, err := os.ReadDir(filepath.Join("../..", dir, corpus)); err != nil || len(files) == 0 {
				t.Errorf("%s: no file in %s: %v", dir, corpus, err)
			}
		}
	})
	if found < 20 {
		t.Errorf("only %d targets found", found)
	}
}
