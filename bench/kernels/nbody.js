// Five bodies under gravity: floating point in objects' fields.
const expected = -0.169079859;

function kernel() {
  const year = 365.24;
  const solar = 4 * Math.PI * Math.PI;
  const body = (x, y, z, vx, vy, vz, mass) => ({ x, y, z, vx: vx * year, vy: vy * year, vz: vz * year, mass: mass * solar });
  const bodies = [
    body(0, 0, 0, 0, 0, 0, 1),
    body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023, 0.000954791938424326609),
    body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411499, 0.00499852801234917238, 0.0000230417297573763929, 0.000285885980666130812),
    body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618, 0.00237847173959480950, -0.0000296589568540237556, 0.0000436624404335156298),
    body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322, 0.00162824170038242295, -0.0000951592254519715870, 0.0000515138902046611451),
  ];
  let px = 0, py = 0, pz = 0;
  for (const b of bodies) { px += b.vx * b.mass; py += b.vy * b.mass; pz += b.vz * b.mass; }
  bodies[0].vx = -px / solar; bodies[0].vy = -py / solar; bodies[0].vz = -pz / solar;
  const step = 0.01;
  for (let turn = 0; turn < 100000; turn++) {
    for (let i = 0; i < bodies.length; i++) {
      const a = bodies[i];
      for (let j = i + 1; j < bodies.length; j++) {
        const b = bodies[j];
        const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        const square = dx * dx + dy * dy + dz * dz;
        const pull = step / (square * Math.sqrt(square));
        a.vx -= dx * b.mass * pull; a.vy -= dy * b.mass * pull; a.vz -= dz * b.mass * pull;
        b.vx += dx * a.mass * pull; b.vy += dy * a.mass * pull; b.vz += dz * a.mass * pull;
      }
    }
    for (const b of bodies) { b.x += step * b.vx; b.y += step * b.vy; b.z += step * b.vz; }
  }
  let energy = 0;
  for (let i = 0; i < bodies.length; i++) {
    const a = bodies[i];
    energy += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz);
    for (let j = i + 1; j < bodies.length; j++) {
      const b = bodies[j];
      energy -= a.mass * b.mass / Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    }
  }
  return Math.round(energy * 1e9) / 1e9;
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
