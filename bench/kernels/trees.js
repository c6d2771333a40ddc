// Binary trees that are built and dropped: allocation and garbage collection.
const expected = 3123888;

function kernel() {
  const build = (depth) => (depth === 0 ? { left: null, right: null } : { left: build(depth - 1), right: build(depth - 1) });
  const size = (tree) => (tree.left === null ? 1 : 1 + size(tree.left) + size(tree.right));
  const kept = build(14);
  let total = 0;
  for (let depth = 4; depth <= 14; depth += 2) {
    const trees = 1 << (18 - depth);
    for (let i = 0; i < trees; i++) total += size(build(depth));
  }
  if (size(kept) !== 32767) throw new Error('the tree that was kept has changed');
  return total;
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
