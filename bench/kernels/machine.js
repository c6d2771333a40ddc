// A small virtual machine that counts primes: a switch in a loop, and classes with several shapes.
const expected = 2262;

function kernel() {
  class Op { constructor(a, b) { this.a = a; this.b = b; } }
  class Set extends Op { run(m) { m.r[this.a] = this.b; } }
  class Add extends Op { run(m) { m.r[this.a] += m.r[this.b]; } }
  class Rem extends Op { run(m) { m.r[this.a] %= m.r[this.b]; } }
  class Copy extends Op { run(m) { m.r[this.a] = m.r[this.b]; } }
  class JumpZero extends Op { run(m) { if (m.r[this.a] === 0) m.at = this.b; } }
  class JumpLess extends Op { run(m) { if (m.r[this.a] < m.r[4]) m.at = this.b; } }
  class Square extends Op { run(m) { m.r[this.a] = m.r[this.b] * m.r[this.b]; } }
  // r0 candidate, r1 divisor, r2 scratch, r3 one, r4 bound of a comparison, r5 count, r6 limit
  const program = [
    new Set(0, 2), new Set(3, 1), new Set(5, 0), new Set(6, 20000),
    new Set(1, 2),                                                    // 4: the next candidate
    new Square(2, 1), new Copy(4, 2), new JumpLess(0, 12),            // 5: divisor squared beyond it: prime
    new Copy(2, 0), new Rem(2, 1), new JumpZero(2, 13),
    new JumpAlways(1),
    new Add(5, 3),                                                    // 12
    new Add(0, 3), new Copy(4, 6), new JumpLess(0, 4), new Halt(),    // 13
  ];
  function JumpAlways(a) { this.a = a; }
  JumpAlways.prototype.run = function (m) { m.r[this.a] += 1; m.at = 5; };
  function Halt() {}
  Halt.prototype.run = function (m) { m.at = -1; };
  const machine = { r: [0, 0, 0, 0, 0, 0, 0], at: 0 };
  while (machine.at >= 0) program[machine.at++].run(machine);
  return machine.r[5];
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
