const bytes = (...list) => new Uint8Array(list);
const decode = (label, list, options) => new TextDecoder(label, options).decode(bytes(...list));

await claim('labels are names of encodings, in any case and with white space around', () => {
  const labels = {
    'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
    'windows-1252': 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
    'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
    'utf-16be': 'unicodefffe utf-16be',
  };
  for (const [name, list] of Object.entries(labels)) {
    for (const label of list.split(' ')) {
      for (const form of [label, label.toUpperCase(), ` ${label}`, `\n\t\f\r ${label}\r `]) equal(new TextDecoder(form).encoding, name, JSON.stringify(form));
    }
  }
  for (const bad of ['', ' ', 'utf', 'utf-8\0', '\u00a0utf-8', '\u000butf-8', '\u2028utf-8', 'utf-8 utf8', 'x', 'ut\u212a-8']) throws('RangeError', () => new TextDecoder(bad));
  equal([new TextDecoder().encoding, new TextEncoder().encoding], ['utf-8', 'utf-8']);
});

await claim('ill-formed UTF-8 becomes one replacement per maximal subpart', () => {
  const rows = [
    [[0xff], '\ufffd'], [[0xc0], '\ufffd'], [[0xe0], '\ufffd'], [[0xc0, 0x00], '\ufffd\0'], [[0xc0, 0xc0], '\ufffd\ufffd'],
    [[0xe0, 0x80], '\ufffd\ufffd'], [[0xe0, 0x80, 0x00], '\ufffd\ufffd\0'], [[0xe0, 0x80, 0xc0], '\ufffd\ufffd\ufffd'],
    [[0xe0, 0x80, 0x80], '\ufffd\ufffd\ufffd'], [[0xf8, 0x80, 0x80, 0x80, 0x80, 0x80], '\ufffd'.repeat(6)],
    [[0xf4, 0x90, 0x80, 0x80], '\ufffd'.repeat(4)], [[0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80], '\ufffd'.repeat(6)],
    [[0xf0, 0x90, 0x80], '\ufffd'], [[0xe2, 0x82, 0x41], '\ufffdA'], [[0xf0, 0x9f, 0x91, 0x8b], '\u{1f44b}'],
    [[0xf0, 0x80, 0x80, 0x80], '\ufffd'.repeat(4)], [[0xfb, 0xff, 0xfe], '\ufffd'.repeat(3)],
  ];
  for (const [list, want] of rows) {
    equal(decode('utf-8', list), want, list.join());
    if (want.includes('\ufffd')) throws('TypeError', () => decode('utf-8', list, { fatal: true }));
    // However it is cut, the text is the same.
    for (let cut = 1; cut < list.length; cut++) {
      const decoder = new TextDecoder();
      equal(decoder.decode(bytes(...list.slice(0, cut)), { stream: true }) + decoder.decode(bytes(...list.slice(cut))), want, `${list.join()} at ${cut}`);
    }
  }
});

await claim('a byte order mark is dropped once, unless it is asked for', () => {
  equal(decode('utf-8', [0xef, 0xbb, 0xbf, 0x41]), 'A');
  equal(decode('utf-8', [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf]), '\ufeff');
  equal(decode('utf-8', [0xef, 0xbb, 0xbf, 0x41], { ignoreBOM: true }), '\ufeffA');
  equal(decode('utf-16le', [0xff, 0xfe, 0x41, 0]), 'A');
  equal(decode('utf-16be', [0xfe, 0xff, 0, 0x41]), 'A');
  equal(decode('utf-16le', [0xfe, 0xff]), '\ufffe');
  const decoder = new TextDecoder();
  equal([[0xef], [0xbb], [0xbf], [0x41]].map((part) => decoder.decode(bytes(...part), { stream: true })).join('|'), '|||A');
  equal(decoder.decode(), '');
  equal(decoder.decode(bytes(0xef, 0xbb, 0xbf, 0x42)), 'B', 'the next stream:');
});

await claim('UTF-16 handles surrogates and odd ends', () => {
  equal(decode('utf-16le', [0x3d, 0xd8, 0x4b, 0xdc]), '\u{1f44b}');
  equal(decode('utf-16be', [0xd8, 0x3d, 0xdc, 0x4b]), '\u{1f44b}');
  equal(decode('utf-16le', [0x3d, 0xd8, 0x41, 0]), '\ufffdA');
  equal(decode('utf-16le', [0x4b, 0xdc]), '\ufffd');
  equal(decode('utf-16le', [0x41]), '\ufffd');
  equal(decode('utf-16le', [0x3d, 0xd8, 0x4b]), '\ufffd');
  for (const list of [[0x41], [0x3d, 0xd8], [0x4b, 0xdc]]) throws('TypeError', () => decode('utf-16le', list, { fatal: true }));
  const decoder = new TextDecoder('utf-16le');
  equal([[0x3d], [0xd8, 0x4b], [0xdc]].map((part) => decoder.decode(bytes(...part), { stream: true })).join(''), '\u{1f44b}');
});

await claim('latin1 is windows-1252', () => {
  equal(decode('latin1', [0x80, 0x9f, 0xe9, 0x81, 0x41]), '\u20ac\u0178\u00e9\u0081A');
  let all = '';
  for (let i = 0; i < 256; i++) all += String.fromCharCode(i);
  const got = decode('ascii', Array.from({ length: 256 }, (_, i) => i));
  equal(got.slice(0, 128) + got.slice(160), all.slice(0, 128) + all.slice(160));
});

await claim('fatal errors leave the decoder usable', () => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  equal(decoder.fatal, true);
  throws('TypeError', () => decoder.decode(bytes(0xff), { stream: true }));
  equal(decoder.decode(bytes(0x41)), 'A');
  equal(decoder.decode(bytes(0xe2, 0x82), { stream: true }), '');
  throws('TypeError', () => decoder.decode());
});

await claim('every kind of buffer is taken, nothing else is', () => {
  const { buffer } = bytes(0x41, 0x42, 0x43, 0x44);
  const decoder = new TextDecoder();
  equal(decoder.decode(buffer), 'ABCD');
  equal(decoder.decode(new DataView(buffer, 1, 2)), 'BC');
  equal(decoder.decode(new Uint16Array(buffer, 2, 1)), 'CD');
  equal(decoder.decode(new SharedArrayBuffer(1)), '\0');
  equal(decoder.decode(undefined), '');
  for (const bad of [null, 'A', 65, {}, [65]]) throws('TypeError', () => decoder.decode(bad));
  const reused = bytes(0xe2, 0x82);
  decoder.decode(reused, { stream: true });
  reused.fill(0x41);
  equal(decoder.decode(bytes(0xac)), '\u20ac', 'a buffer changed between chunks:');
});

await claim('the encoder writes UTF-8 and replaces lone surrogates', () => {
  const encoder = new TextEncoder();
  const rows = [['', []], ['A\u00e9\u20ac', [0x41, 0xc3, 0xa9, 0xe2, 0x82, 0xac]], ['\u{1f44b}', [0xf0, 0x9f, 0x91, 0x8b]], ['\ud800', [0xef, 0xbf, 0xbd]], ['\udc00\ud800x', [0xef, 0xbf, 0xbd, 0xef, 0xbf, 0xbd, 0x78]], ['a\0b', [0x61, 0, 0x62]]];
  for (const [text, want] of rows) equal([...encoder.encode(text)], want, JSON.stringify(text));
  equal([encoder.encode().length, encoder.encode(undefined).length, encoder.encode(null).length, encoder.encode(12).length], [0, 0, 4, 2]);
  equal(encoder.encode('x') instanceof Uint8Array, true);
  const long = '\u20acx'.repeat(100000);
  equal(new TextDecoder().decode(encoder.encode(long)) === long, true, 'a long text:');
});

await claim('encodeInto never cuts a character', () => {
  const encoder = new TextEncoder();
  const rows = [['A\u{1f44b}', 4, 1, 1], ['A\u{1f44b}', 5, 3, 5], ['\u00e9\u00e9', 3, 1, 2], ['\u20ac', 2, 0, 0], ['\ud800', 3, 1, 3], ['', 3, 0, 0], ['abc', 2, 2, 2]];
  for (const [text, size, read, written] of rows) equal(encoder.encodeInto(text, new Uint8Array(size)), { read, written }, JSON.stringify(text));
  for (const bad of [new Uint16Array(2), new ArrayBuffer(2), [], null]) throws('TypeError', () => encoder.encodeInto('', bad));
  throws('TypeError', () => encoder.encodeInto(''));
});

await claim('wrong receivers are refused', () => {
  throws('TypeError', () => TextEncoder.prototype.encode.call({}));
  throws('TypeError', () => TextDecoder.prototype.decode.call({}));
  throws('TypeError', () => TextDecoder());
});
