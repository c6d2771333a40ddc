'use strict';
(function (native, { uncurryThis, text, usv }) {
  const codeAt = uncurryThis(String.prototype.charCodeAt);
  const { isView } = ArrayBuffer;
  const kindOf = uncurryThis(Reflect.getOwnPropertyDescriptor(Reflect.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);

  class TextEncoder {
    #brand;
    get encoding() { this.#brand; return 'utf-8'; }
    encode(input = '') { this.#brand; return native.utf8Encode(text(input)); }
    encodeInto(source, destination) {
      this.#brand;
      if (arguments.length < 2) throw new TypeError("Failed to execute 'encodeInto' on 'TextEncoder': 2 arguments required");
      source = usv(source);
      if (!isView(destination) || kindOf(destination) !== 'Uint8Array') {
        throw new TypeError("Failed to execute 'encodeInto' on 'TextEncoder': the destination is not a Uint8Array");
      }
      const { length } = source;
      const size = destination.length;
      let read = 0;
      let written = 0;
      while (read < length) {
        const code = codeAt(source, read);
        if (code < 0x80) {
          if (written + 1 > size) break;
          destination[written++] = code;
        } else if (code < 0x800) {
          if (written + 2 > size) break;
          destination[written++] = code >> 6 | 0xc0;
          destination[written++] = code & 63 | 0x80;
        } else if (code < 0xd800 || code > 0xdfff) {
          if (written + 3 > size) break;
          destination[written++] = code >> 12 | 0xe0;
          destination[written++] = code >> 6 & 63 | 0x80;
          destination[written++] = code & 63 | 0x80;
        } else {
          if (written + 4 > size) break;
          const point = 0x10000 + ((code & 0x3ff) << 10 | codeAt(source, ++read) & 0x3ff);
          destination[written++] = point >> 18 | 0xf0;
          destination[written++] = point >> 12 & 63 | 0x80;
          destination[written++] = point >> 6 & 63 | 0x80;
          destination[written++] = point & 63 | 0x80;
        }
        read++;
      }
      return { read, written };
    }
  }
  native.platform(TextEncoder, 'TextEncoder');

  return { TextEncoder };
});
