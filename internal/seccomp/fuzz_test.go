package seccomp

import (
	"errors"
	"testing"
)

// A call that no sample thought of: tables and programs answer it alike.
func FuzzProgramsAgreeWithTheirTables(f *testing.F) {
	for _, table := range Tables() {
		for _, row := range table.Rows {
			a := meet(row, [6]uint64{})
			f.Add(row.Number, ArchX86_64, a[0], a[1], a[2], a[3], a[4], a[5])
		}
	}
	f.Add(uint32(0x40000027), ArchX86_64, uint64(0), uint64(1)<<32, uint64(0), uint64(0), uint64(0), uint64(0))
	f.Add(uint32(20), ArchI386, uint64(0), uint64(0), uint64(0), uint64(0), uint64(0), uint64(0))
	all := programs()
	f.Fuzz(func(t *testing.T, number, arch uint32, a, b, c, d, e, g uint64) {
		data := Data{Number: number, Arch: arch, Args: [6]uint64{a, b, c, d, e, g}}
		for name, p := range all {
			got, _, err := Run(p.Program, data)
			if err != nil {
				t.Fatalf("%s: %+v: %v", name, data, err)
			}
			if want := p.Table.Evaluate(data); got != want {
				t.Fatalf("%s: %+v: program says %v, table says %v", name, data, got, want)
			}
		}
	})
}

// The evaluator takes any bytes for a program: it answers or says what is wrong.
func FuzzEvaluator(f *testing.F) {
	f.Add(Realm(false), uint32(0), uint64(0))
	f.Add([]byte{6, 0, 0, 0, 0, 0, 0xff, 0x7f}, uint32(1), uint64(1))
	f.Add([]byte{5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, uint32(1), uint64(1))
	f.Fuzz(func(t *testing.T, program []byte, number uint32, arg uint64) {
		_, steps, err := Run(program, Data{Number: number, Arch: ArchX86_64, Args: [6]uint64{arg}})
		if err != nil && !errors.Is(err, ErrProgram) || err == nil && (steps < 1 || steps > maxInstructions) {
			t.Fatalf("%d steps, %v", steps, err)
		}
	})
}
