// For each line: runs the kernel of that file in a process of its own, as a realm is one; answers with its value.
'use strict';
const { execFileSync } = require('node:child_process');
const one = "process.stdout.write(String(require('vm').runInThisContext(require('fs').readFileSync(process.argv[1], 'utf8'), { filename: process.argv[1] })))";
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  console.log(execFileSync(process.execPath, ['-e', one, line], { encoding: 'utf8' }));
});
