'use strict';
(function (native, { apply, uncurryThis, needs, text }) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const codeAt = uncurryThis(String.prototype.charCodeAt);
  const slice = uncurryThis(Uint8Array.prototype.subarray);
  const { fromCharCode } = String;
  const fail = (message) => new (native.part('exception').DOMException)(message, 'InvalidCharacterError');
  // 64 stands for white space, 65 for "=", 66 for all else.
  const values = new Uint8Array(256);
  const codes = new Uint8Array(64);
  for (let i = 0; i < 256; i++) values[i] = 66;
  for (let i = 0; i < 64; i++) values[codes[i] = codeAt(alphabet, i)] = i;
  values[9] = values[10] = values[12] = values[13] = values[32] = 64;
  values[61] = 65;

  // fromCharCode takes a bounded number of arguments.
  const latin1 = (bytes, length) => {
    let out = '';
    for (let i = 0; i < length; i += 8192) out += apply(fromCharCode, undefined, slice(bytes, i, i + 8192 < length ? i + 8192 : length));
    return out;
  };

  return {
    btoa(data) {
      needs(arguments.length, 1, "Failed to execute 'btoa'");
      data = text(data);
      const { length } = data;
      const out = new Uint8Array(((length + 2) / 3 >>> 0) * 4);
      let at = 0;
      for (let i = 0; i < length; i += 3) {
        const a = codeAt(data, i);
        const b = i + 1 < length ? codeAt(data, i + 1) : 0;
        const c = i + 2 < length ? codeAt(data, i + 2) : 0;
        if ((a | b | c) > 255) throw fail("Failed to execute 'btoa': the string holds characters outside of the Latin1 range");
        out[at++] = codes[a >> 2];
        out[at++] = codes[(a & 3) << 4 | b >> 4];
        out[at++] = i + 1 < length ? codes[(b & 15) << 2 | c >> 6] : 61;
        out[at++] = i + 2 < length ? codes[c & 63] : 61;
      }
      return latin1(out, at);
    },

    atob(data) {
      needs(arguments.length, 1, "Failed to execute 'atob'");
      data = text(data);
      const { length } = data;
      const out = new Uint8Array((length * 3 >>> 2) + 3);
      let at = 0;
      let count = 0;
      let padding = 0;
      let bits = 0;
      let ok = true;
      for (let i = 0; i < length && ok; i++) {
        const code = codeAt(data, i);
        const value = code < 256 ? values[code] : 66;
        if (value === 64) continue;
        if (value === 65) padding++;
        else if (value === 66 || padding > 0) ok = false;
        else {
          bits = (bits << 6 | value) & 0xffffff;
          if (++count % 4 === 0) {
            out[at++] = bits >> 16;
            out[at++] = bits >> 8;
            out[at++] = bits;
          }
        }
      }
      const rest = count % 4;
      // Padding is optional, but where it stands it fills the last group.
      if (!ok || rest === 1 || padding > 0 && (padding > 2 || (count + padding) % 4 !== 0)) {
        throw fail("Failed to execute 'atob': the string is not correctly encoded");
      }
      if (rest === 2) out[at++] = bits >> 4;
      if (rest === 3) {
        out[at++] = bits >> 10;
        out[at++] = bits >> 2;
      }
      return latin1(out, at);
    },
  };
});
