package supervisor_test

import (
	"context"
	"fmt"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// From a mebibyte on an answer's bytes take another way into the guest.
func TestLargeReadsAreWhole(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	dir := t.TempDir()
	sizes := []any{0, 1, mib - 64, mib - 1, mib, mib + 1, 3*mib + 7}
	for _, size := range sizes {
		write(t, dir+fmt.Sprint("/", size), string(pattern(size.(int))))
	}
	res, err := supervise(t, supervisor.Config{}).Run(context.Background(), supervisor.Request{
		Source: `
			import { readBytes, readText } from 'realm:capabilities';
			const whole = (b, size) => b.length === size && b.every((v, i) => v === i % 251);
			export default async (dir, sizes) => {
				const together = await Promise.all(sizes.flatMap(n => [readBytes(dir + '/' + n), readText(dir + '/1')]));
				const wrong = sizes.filter((n, i) => !whole(together[2 * i], n) || together[2 * i + 1] !== '\0');
				for (const n of sizes) if (!whole(await readBytes(dir + '/' + n), n)) wrong.push(n);
				const part = await readBytes(dir + '/' + sizes.at(-1), { offset: 251, length: 2 ** 21 });
				return [...wrong, whole(part, 2 ** 21), part.buffer.byteLength];
			}`,
		Args: []any{dir, sizes},
		Grants: grants.Grants{
			Filesystem: grants.Filesystem{Read: []string{dir}},
			Resources:  grants.Resources{MaxReadBytes: 4 * mib, WallClockMs: 60_000},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	if err := res.Decode(&got); err != nil || len(got) != 2 || got[0] != true {
		t.Errorf("wrong: %v, %v", res.Value, err)
	}
}

// pattern has a prime period, so that a shift shows.
func pattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}
