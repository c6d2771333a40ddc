package seccomp

import (
	"math/rand/v2"
	"testing"
)

// programs pairs each table with its committed program.
func programs() map[string]struct {
	Table   Table
	Program []byte
} {
	return map[string]struct {
		Table   Table
		Program []byte
	}{
		"realm":         {RealmTable(false), Realm(false)},
		"realm-jitless": {RealmTable(true), Realm(true)},
		"command":       {CommandTable(), Command()},
	}
}

// Covers: T-SYS-02, T-SYS-04
func TestProgramsAgreeWithTheirTables(t *testing.T) {
	for name, p := range programs() {
		t.Run(name, func(t *testing.T) {
			list, err := decode(p.Program)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(7, uint64(len(name))))
			covered := make([]bool, len(list))
			probes := 0
			for _, arch := range []uint32{ArchX86_64, ArchI386, 0, 0xc00000b7, ArchX86_64 | 1} {
				for _, number := range numbers() {
					for _, args := range samples(rowsOf(p.Table, number), random) {
						probes++
						data := Data{Number: number, Arch: arch, InstructionPointer: random.Uint64(), Args: args}
						got, _, err := execute(list, data, covered)
						if err != nil {
							t.Fatalf("%+v: %v", data, err)
						}
						if want := p.Table.Evaluate(data); got != want {
							t.Fatalf("arch %#x call %d args %#x: program says %v, table says %v", arch, number, args, got, want)
						}
					}
				}
			}
			held := accumulator(list)
			for pc, reached := range covered {
				if !reached && held[pc] != "" {
					t.Errorf("instruction %d is never reached", pc)
				}
			}
			t.Logf("attacks: either filter %s, %d instructions: program and table asked %d %d", name, len(list), probes, probes)
		})
	}
}
