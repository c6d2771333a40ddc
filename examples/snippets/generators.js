// Lazy sequences: an endless generator, helpers that compose, and early termination.
function* fibonacci() {
  let [a, b] = [0n, 1n];
  while (true) {
    yield a;
    [a, b] = [b, a + b];
  }
}
function* take(count, items) {
  if (count <= 0) return;
  for (const item of items) {
    yield item;
    if (--count === 0) return;
  }
}
function* filter(items, keep) {
  for (const item of items) if (keep(item)) yield item;
}

let closed = false;
function* guarded() {
  try {
    yield* [1, 2, 3, 4];
  } finally {
    closed = true;
  }
}

const even = [...take(5, filter(fibonacci(), (n) => n % 2n === 0n))];
const [first, second] = guarded();
const big = [...take(101, fibonacci())].at(-1);
({ even: even.map(Number), first, second, closed, big });
