'use strict';
(function (native, { uncurryThis, needs }) {
  const typed = Reflect.getPrototypeOf(Uint8Array.prototype);
  const getter = (key) => uncurryThis(Reflect.getOwnPropertyDescriptor(typed, key).get);
  const kindOf = getter(Symbol.toStringTag);
  const bufferOf = getter('buffer');
  const offsetOf = getter('byteOffset');
  const lengthOf = getter('byteLength');
  const integers = {
    __proto__: null, Int8Array: 1, Uint8Array: 1, Uint8ClampedArray: 1, Int16Array: 1, Uint16Array: 1, Int32Array: 1,
    Uint32Array: 1, BigInt64Array: 1, BigUint64Array: 1,
  };
  const fail = (message, name) => new (native.part('exception').DOMException)(message, name);
  const construct = {};

  class Crypto {
    #brand;
    constructor(token) {
      if (token !== construct) throw new TypeError('Illegal constructor');
    }

    getRandomValues(array) {
      this.#brand;
      const what = "Failed to execute 'getRandomValues' on 'Crypto'";
      needs(arguments.length, 1, what);
      if (!ArrayBuffer.isView(array)) throw new TypeError(`${what}: parameter 1 is not of type 'ArrayBufferView'`);
      const kind = kindOf(array);
      if (!integers[kind]) throw fail(`${what}: ${kind ?? 'DataView'} is not an integer array type`, 'TypeMismatchError');
      const size = lengthOf(array);
      if (size > 65536) throw fail(`${what}: ${size} bytes are more than the 65536 that one call may ask for`, 'QuotaExceededError');
      if (size > 0) native.randomFill(new Uint8Array(bufferOf(array), offsetOf(array), size));
      return array;
    }

    randomUUID() {
      this.#brand;
      const bytes = new Uint8Array(16);
      native.randomFill(bytes);
      bytes[6] = bytes[6] & 0x0f | 0x40;
      bytes[8] = bytes[8] & 0x3f | 0x80;
      let uuid = '';
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) uuid += '-';
        uuid += '0123456789abcdef'[bytes[i] >> 4] + '0123456789abcdef'[bytes[i] & 15];
      }
      return uuid;
    }
  }
  native.platform(Crypto, 'Crypto');
  Reflect.defineProperty(Crypto, 'length', { __proto__: null, value: 0, configurable: true });
  return { crypto: new Crypto(construct) };
});
