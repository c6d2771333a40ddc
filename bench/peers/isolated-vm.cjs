// For each line: a fresh isolate runs it as a script; answers with the milliseconds until its value was there.
'use strict';
const ivm = require('isolated-vm');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const start = performance.now();
  const isolate = new ivm.Isolate({ memoryLimit: 256 });
  const context = isolate.createContextSync();
  const script = isolate.compileScriptSync(line);
  const value = script.runSync(context);
  const took = performance.now() - start;
  if (value !== 42) throw new Error(`got ${value}`);
  isolate.dispose();
  console.log(took);
});
