package seccomp

import "math/rand/v2"

// The call numbers under test: everything that Linux has and some of what it
// will get, the x32 range, and the odd ends.
func numbers() []uint32 {
	var list []uint32
	for n := range uint32(601) {
		list = append(list, n, n|x32Bit)
	}
	return append(list, 0x3fffffff, 0x7fffffff, 0x80000000, 0xbfffffff, 0xfffffffe, 0xffffffff)
}

// boundaries are values around those that a condition compares: the value, its
// neighbours, each with bits of the upper half set, and every single bit of the
// mask flipped. They hold the tricks that pass a 64-bit compare while the
// kernel reads 32 bits.
func boundaries(c Condition) []uint64 {
	values := []uint64{0, 1, all32, all64, 1 << 31, 1 << 32, 1 << 63}
	for _, v := range []uint64{c.Value, c.Value + 1, c.Value - 1, c.Value | ^c.Mask, ^c.Value} {
		values = append(values, v, v|1<<31, v|1<<32, v|1<<63, v|^all32, v&all32, v^1<<47)
	}
	for bit := range 64 {
		values = append(values, c.Value^1<<bit, (c.Value|^c.Mask)^1<<bit)
	}
	return values
}

// samples are argument sets for one call number: for each of its rows the
// conditions met, each condition varied over its boundaries with the others
// met, all checked arguments drawn from the pool of boundaries together, and
// random arguments.
func samples(rows []Row, random *rand.Rand) [][6]uint64 {
	sets := [][6]uint64{{}, {all64, all64, all64, all64, all64, all64}}
	pool := [6][]uint64{}
	for _, row := range rows {
		met := meet(row, [6]uint64{})
		sets = append(sets, met, meet(row, [6]uint64{all64, all64, all64, all64, all64, all64}))
		for _, c := range row.When {
			for _, v := range boundaries(c) {
				varied := met
				varied[c.Arg] = v
				sets = append(sets, varied)
				pool[c.Arg] = append(pool[c.Arg], v)
			}
		}
	}
	for range 200 {
		var drawn, noise [6]uint64
		for arg := range drawn {
			noise[arg] = random.Uint64() >> random.UintN(64)
			drawn[arg] = noise[arg]
			if n := len(pool[arg]); n > 0 {
				drawn[arg] = pool[arg][random.IntN(n)]
			}
		}
		sets = append(sets, drawn, noise)
	}
	return sets
}

// meet returns the arguments changed so that the row's conditions hold, as far
// as they can hold together.
func meet(row Row, args [6]uint64) [6]uint64 {
	for _, c := range row.When {
		args[c.Arg] = args[c.Arg]&^c.Mask | c.Value
	}
	return args
}

func rowsOf(table Table, number uint32) []Row {
	var rows []Row
	for _, row := range table.Rows {
		if row.Number == number {
			rows = append(rows, row)
		}
	}
	return rows
}
