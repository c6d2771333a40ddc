// Permutations of small arrays: integer loops, typed arrays, unpredictable branches.
const expected = 30;

function kernel() {
  const n = 9;
  const order = Uint8Array.from({ length: n }, (_, i) => i);
  const work = new Uint8Array(n);
  const count = new Uint8Array(n);
  let most = 0;
  let level = n;
  for (;;) {
    for (; level > 1; level--) count[level - 1] = level;
    work.set(order);
    let flips = 0;
    for (let first = work[0]; first !== 0; first = work[0]) {
      for (let low = 0, high = first; low < high; low++, high--) {
        const held = work[low];
        work[low] = work[high];
        work[high] = held;
      }
      flips++;
    }
    if (flips > most) most = flips;
    for (;;) {
      if (level === n) return most;
      const first = order[0];
      for (let i = 0; i < level; i++) order[i] = order[i + 1];
      order[level] = first;
      if (--count[level] > 0) break;
      level++;
    }
  }
}

(() => {
  let best = Infinity;
  for (let i = 0; i < 8; i++) {
    const start = performance.now();
    const got = kernel();
    best = Math.min(best, performance.now() - start);
    if (got !== expected) throw new Error(`got ${got}`);
  }
  return best;
})();
