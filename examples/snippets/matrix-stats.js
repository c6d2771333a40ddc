// Numeric work: statistics, a matrix product, primes in a typed array.
const mean = (xs) => xs.reduce((a, b) => a + b, 0) / xs.length;
const median = (xs) => {
  const sorted = [...xs].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const deviation = (xs) => Math.sqrt(mean(xs.map((x) => (x - mean(xs)) ** 2)));
const multiply = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));

function primes(limit) {
  const composite = new Uint8Array(limit + 1);
  const found = [];
  for (let n = 2; n <= limit; n++) {
    if (composite[n]) continue;
    found.push(n);
    for (let m = n * n; m <= limit; m += n) composite[m] = 1;
  }
  return found;
}

const data = [2, 4, 4, 4, 5, 5, 7, 9];
const found = primes(100_000);
if (found.length > 0) {
  ({
    mean: mean(data),
    median: median(data),
    deviation: deviation(data),
    product: multiply([[1, 2], [3, 4]], [[0, 1], [1, 0]]),
    primes: found.length,
    last: found.at(-1),
    nothing: mean([]),
    factorial: Array.from({ length: 25 }, (_, i) => BigInt(i + 1)).reduce((a, b) => a * b),
    buffer: new Float64Array([0.1 + 0.2, -0]),
  });
}
