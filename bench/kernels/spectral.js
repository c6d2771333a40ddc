// The largest singular value of an infinite matrix: calls of small functions, typed arrays of doubles.
const expected = 1.274224;

function kernel() {
  const n = 200;
  const cell = (i, j) => 1 / ((i + j) * (i + j + 1) / 2 + i + 1);
  const times = (out, v, at) => {
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += at(i, j) * v[j];
      out[i] = sum;
    }
  };
  const turned = (i, j) => cell(j, i);
  const u = new Float64Array(n).fill(1), v = new Float64Array(n), w = new Float64Array(n);
  for (let i = 0; i < 10; i++) {
    times(w, u, cell); times(v, w, turned);
    times(w, v, cell); times(u, w, turned);
  }
  let uv = 0, vv = 0;
  for (let i = 0; i < n; i++) { uv += u[i] * v[i]; vv += v[i] * v[i]; }
  return Math.round(Math.sqrt(uv / vv) * 1e6) / 1e6;
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
