package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"realm.internal/supervisor/internal/seccomp"
)

// Covers: T-SYS-04
func TestCommittedProgramsAreWhatTheTablesCompileTo(t *testing.T) {
	for _, table := range seccomp.Tables() {
		want, err := compile(table)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "filters", fileName(table)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale; run go generate ./internal/seccomp", fileName(table))
		}
	}
}

func TestNumbersBelongToTheirNames(t *testing.T) {
	numbers := numbersOfSys(t)
	for _, table := range seccomp.Tables() {
		for _, row := range table.Rows {
			number, known := numbers[strings.ToUpper(row.Call)]
			if !known || number != row.Number {
				t.Errorf("%s: %s has number %d, not %d", table.Name, row.Call, number, row.Number)
			}
		}
	}
}

// numbersOfSys reads the SYS_ constants out of x/sys, which follows the kernel
// closer than the library's own table.
func numbersOfSys(t *testing.T) map[string]uint32 {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(string(dir)), "zsysnum_linux_amd64.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]uint32{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				number, err := strconv.ParseUint(value.Value, 10, 32)
				if err != nil {
					t.Fatal(err)
				}
				numbers[strings.TrimPrefix(spec.Names[0].Name, "SYS_")] = uint32(number)
			}
		}
		return true
	})
	return numbers
}
