// For each line: a fresh QuickJS runtime (WebAssembly) runs it; answers with the milliseconds until its value was there.
'use strict';
const { getQuickJS } = require('quickjs-emscripten');
getQuickJS().then((quickjs) => {
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const start = performance.now();
    const runtime = quickjs.newRuntime();
    const context = runtime.newContext();
    const handle = context.unwrapResult(context.evalCode(line));
    const value = context.dump(handle);
    const took = performance.now() - start;
    if (value !== 42) throw new Error(`got ${value}`);
    handle.dispose();
    context.dispose();
    runtime.dispose();
    console.log(took);
  });
});
