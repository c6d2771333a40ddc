"use strict";
// A CommonJS file, as many packages still ship: its exports have names for `import` all the same.
const names = ["B", "KiB", "MiB", "GiB"];

exports.bytes = function bytes(n) {
  let i = 0;
  for (; n >= 1024 && i < names.length - 1; i++) n /= 1024;
  return `${Math.round(n * 10) / 10} ${names[i]}`;
};
