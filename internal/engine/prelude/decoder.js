'use strict';
(function (native, { apply, uncurryThis, dictionary, text, replace }) {
  const codeAt = uncurryThis(String.prototype.charCodeAt);
  const sliceText = uncurryThis(String.prototype.slice);
  const lower = uncurryThis(String.prototype.toLowerCase);
  const indexOf = uncurryThis(String.prototype.indexOf);
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const typed = Reflect.getPrototypeOf(Uint8Array.prototype);
  const sub = uncurryThis(typed.subarray);
  const fill = uncurryThis(typed.set);

  const labels = {
    'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
    'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
    'utf-16be': 'unicodefffe utf-16be',
    'windows-1252': 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 '
      + 'iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
  };
  // The code points of windows-1252's bytes 0x80 to 0x9f.
  const upper = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f'
    + '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

  const encodingOf = (label) => {
    const wanted = lower(replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, label, ''));
    const names = Reflect.ownKeys(labels);
    for (let i = 0; i < names.length && wanted !== '' && indexOf(wanted, ' ') < 0; i++) {
      if (indexOf(` ${labels[names[i]]} `, ` ${wanted} `) >= 0) return names[i];
    }
    throw new RangeError(`Failed to construct 'TextDecoder': the encoding label '${sliceText(label, 0, 40)}' is not supported`);
  };

  // fromCharCode takes a bounded number of arguments.
  const fromCodes = (codes, length) => {
    let out = '';
    for (let i = 0; i < length; i += 8192) out += apply(fromCharCode, undefined, sub(codes, i, i + 8192 < length ? i + 8192 : length));
    return out;
  };

  const bytesOf = (input) => {
    if (isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    try {
      // Only a buffer has a byte length that its prototype's getter answers.
      if (typeof input === 'object' && input !== null) {
        lengthOf(input);
        return new Uint8Array(input);
      }
    } catch {}
    throw new TypeError("Failed to execute 'decode' on 'TextDecoder': the input is not an ArrayBuffer or a view of one");
  };
  const lengths = [uncurryThis(Reflect.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get)];
  if (typeof SharedArrayBuffer === 'function') {
    lengths[1] = uncurryThis(Reflect.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, 'byteLength').get);
  }
  const lengthOf = (buffer) => {
    try {
      return lengths[0](buffer);
    } catch (error) {
      if (lengths[1]) return lengths[1](buffer);
      throw error;
    }
  };

  const join = (a, b) => {
    if (a.length === 0) return b;
    const both = new Uint8Array(a.length + b.length);
    fill(both, a, 0);
    fill(both, b, a.length);
    return both;
  };

  // How many bytes at the end may begin a sequence that the next chunk completes.
  const unfinished = (bytes) => {
    const { length } = bytes;
    for (let back = 1; back <= 3 && back <= length; back++) {
      const byte = bytes[length - back];
      if (byte >= 0x80 && byte < 0xc0) continue;
      const size = byte >= 0xc2 && byte < 0xe0 ? 2 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xf0 && byte < 0xf5 ? 4 : 1;
      if (size <= back) return 0;
      if (back > 1) {
        const second = bytes[length - back + 1];
        const low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
        const high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
        if (second < low || second > high) return 0;
      }
      return back;
    }
    return 0;
  };

  const decoders = {
    __proto__: null,
    'utf-8': (bytes, stream, fatal) => {
      const rest = stream ? unfinished(bytes) : 0;
      return [native.utf8Decode(rest ? sub(bytes, 0, bytes.length - rest) : bytes, fatal), rest];
    },
    'windows-1252': (bytes) => {
      const codes = new Uint16Array(bytes);
      for (let i = 0; i < codes.length; i++) {
        if ((codes[i] & 0xe0) === 0x80) codes[i] = codeAt(upper, codes[i] - 0x80);
      }
      return [fromCodes(codes, codes.length), 0];
    },
    'utf-16le': (bytes, stream, fatal) => utf16(bytes, stream, fatal, 0),
    'utf-16be': (bytes, stream, fatal) => utf16(bytes, stream, fatal, 1),
  };
  const utf16 = (bytes, stream, fatal, big) => {
    const whole = bytes.length >> 1;
    const codes = new Uint16Array(whole + 1);
    let length = whole;
    let rest = bytes.length & 1;
    for (let i = 0; i < whole; i++) codes[i] = bytes[2 * i + big] | bytes[2 * i + 1 - big] << 8;
    for (let i = 0; i < whole; i++) {
      if ((codes[i] & 0xf800) !== 0xd800) continue;
      if (codes[i] < 0xdc00 && i + 1 < whole && (codes[i + 1] & 0xfc00) === 0xdc00) i++;
      else if (codes[i] < 0xdc00 && i + 1 === whole && stream) {
        length--;
        rest += 2;
      } else if (fatal) return [undefined, 0];
      // A lead surrogate and a lone byte after it are one ill-formed end.
      else if (codes[i] < 0xdc00 && i + 1 === whole && rest) {
        codes[i] = 0xfffd;
        return [fromCodes(codes, length), 0];
      } else codes[i] = 0xfffd;
    }
    if (rest && !stream) {
      if (fatal) return [undefined, 0];
      codes[length++] = 0xfffd;
    }
    return [fromCodes(codes, length), stream ? rest : 0];
  };

  const nothing = new Uint8Array(0);
  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    #pending = nothing;
    #begun = false;

    constructor(label = 'utf-8', options = undefined) {
      this.#encoding = encodingOf(text(label));
      const { fatal, ignoreBOM } = dictionary(options, "Failed to construct 'TextDecoder'");
      this.#fatal = !!fatal;
      this.#ignoreBOM = !!ignoreBOM;
    }

    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }

    decode(input = undefined, options = undefined) {
      const bytes = join(this.#pending, input === undefined ? nothing : bytesOf(input));
      const stream = !!dictionary(options, "Failed to execute 'decode' on 'TextDecoder'").stream;
      const { 0: decoded, 1: rest } = decoders[this.#encoding](bytes, stream, this.#fatal);
      this.#pending = nothing;
      if (decoded === undefined) {
        this.#begun = false;
        throw new TypeError(`The encoded data was not valid for encoding ${this.#encoding}`);
      }
      // A copy: the caller may change its buffer before the next chunk.
      if (rest > 0) this.#pending = new Uint8Array(sub(bytes, bytes.length - rest));
      const marked = !this.#ignoreBOM && !this.#begun && this.#encoding !== 'windows-1252' && codeAt(decoded, 0) === 0xfeff;
      this.#begun = stream && (this.#begun || decoded !== '');
      return marked ? sliceText(decoded, 1) : decoded;
    }
  }
  native.platform(TextDecoder, 'TextDecoder');
  Reflect.defineProperty(TextDecoder, 'length', { __proto__: null, value: 0, configurable: true });

  return { TextDecoder };
});
