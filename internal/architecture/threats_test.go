package architecture

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	rowID    = regexp.MustCompile(`^\| (T-[A-Z]+-\d+) \|`)
	testName = regexp.MustCompile("`([a-z0-9/]+)\\.(Test\\w+)`")
	testFunc = regexp.MustCompile(`^func (Test\w+)\(`)
	threatID = regexp.MustCompile(`T-[A-Z]+-\d+`)
	covers   = regexp.MustCompile(`^// Covers: (.+)$`)
)

// threats maps each row's ID to the tests that it names, as package.Test.
func threats(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/THREAT_MODEL.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		m := rowID.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if _, dup := rows[m[1]]; dup {
			t.Errorf("two rows are called %s", m[1])
		}
		rows[m[1]] = nil
		for _, n := range testName.FindAllStringSubmatch(line, -1) {
			rows[m[1]] = append(rows[m[1]], n[1]+"."+n[2])
		}
	}
	return rows
}

// coverage maps each test to the IDs in its Covers comment, nil without one.
func coverage(t *testing.T) map[string][]string {
	t.Helper()
	tests := map[string][]string{}
	eachTest(t, func(dir string, text []byte) {
		var ids []string
		for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
			if m := covers.FindStringSubmatch(s.Text()); m != nil {
				ids = append(ids, threatID.FindAllString(m[1], -1)...) // other ids are of the cases
			} else if m := testFunc.FindStringSubmatch(s.Text()); m != nil {
				tests[dir+"."+m[1]] = ids
				ids = nil
			}
		}
	})
	return tests
}

// eachTest shows the text of every test file, with its directory.
func eachTest(t *testing.T, show func(dir string, text []byte)) {
	t.Helper()
	root := "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		show(dir, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryThreatHasATestThatSaysSo(t *testing.T) {
	rows, tests := threats(t), coverage(t)
	if len(rows) < 30 {
		t.Fatalf("only %d rows found", len(rows))
	}
	named := map[string]bool{}
	for id, names := range rows {
		if len(names) == 0 {
			t.Errorf("%s names no test", id)
		}
		for _, name := range names {
			ids, exists := tests[name]
			if !exists {
				t.Errorf("%s: no test is called %s", id, name)
			} else if !contains(ids, id) {
				t.Errorf("%s: %s does not say that it covers it", id, name)
			}
			named[id+" "+name] = true
		}
	}
	for name, ids := range tests {
		for _, id := range ids {
			if !named[id+" "+name] {
				t.Errorf("%s covers %s, whose row does not name it", name, id)
			}
		}
	}
}

// What make attack counts has a row as well.
func TestEveryAttackThatIsCountedCoversAThreat(t *testing.T) {
	text, err := os.ReadFile("../evidence/steps.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "const attacks")
	list, _, _ = strings.Cut(list, "\n\n")
	names := regexp.MustCompile(`Test\w+`).FindAllString(list, -1)
	if len(names) < 5 {
		t.Fatalf("only %q found", names)
	}
	tests := coverage(t)
	for _, name := range names {
		if ids, exists := tests["pkg/supervisor."+name]; !exists || len(ids) == 0 {
			t.Errorf("%s is counted, but is no test or covers no threat", name)
		}
	}
}

// A row's third column says where its defence is.
func TestEveryThreatsDefenceIsWhereItSays(t *testing.T) {
	text, err := os.ReadFile("../../docs/THREAT_MODEL.md")
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile("`((?:internal|pkg|scripts)/[^`]+)`")
	for line := range strings.Lines(string(text)) {
		id := rowID.FindStringSubmatch(line)
		if id == nil {
			continue
		}
		for _, m := range place.FindAllStringSubmatch(strings.Split(line, "|")[3], -1) {
			if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
				t.Errorf("%s: %v", id[1], err)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
