const shared = new Int32Array(new SharedArrayBuffer(64))
await Atomics.waitAsync(shared, 0, 0, 5).value
