await claim('every cloneable type keeps its type and value', () => {
  const same = (value, view = (v) => v) => {
    const copy = structuredClone(value);
    equal(Object.getPrototypeOf(copy), Object.getPrototypeOf(value), 'prototype');
    equal(view(copy), view(value));
    if (typeof value === 'object' && value !== null) equal(copy === value, false, 'identity');
  };
  for (const value of [undefined, null, true, 0, -0, NaN, Infinity, 1n, -(2n ** 70n), '', 'x\0\ud800', '\u{1f44b}']) equal(structuredClone(value), value);
  same(new Date(5), Number);
  same(new Date(NaN), Number);
  same(/a.b/giu, String);
  same(new Boolean(false), (v) => v.valueOf());
  same(new String('x\u{1f44b}'), (v) => v.valueOf());
  same(new Number(-0), (v) => v.valueOf());
  same(Object(5n), (v) => v.valueOf());
  same(new Map([[1, { a: 2 }], [{}, 'x']]), (v) => JSON.stringify([...v]));
  same(new Set(['a', NaN]), (v) => [...v]);
  same([1, [2]], (v) => JSON.stringify(v));
  same({ z: 1, a: { b: null } }, (v) => JSON.stringify(v));
  same(new Uint8Array([1, 2]), (v) => [...v]);
  same(new Float64Array([0.5]), (v) => [...v]);
  same(new BigInt64Array([-1n]), (v) => [...v]);
  same(new DataView(new ArrayBuffer(3), 1, 2), (v) => [v.byteOffset, v.byteLength]);
  same(new ArrayBuffer(7), (v) => v.byteLength);
});

await claim('errors keep name, message and cause, and lose own fields', () => {
  const error = Object.assign(new RangeError('m', { cause: { a: 1 } }), { code: 5 });
  const copy = structuredClone(error);
  equal([copy instanceof RangeError, copy.name, copy.message, copy.cause?.a, copy.code], [true, 'RangeError', 'm', 1, undefined]);
  const odd = structuredClone(Object.assign(new Error('x'), { name: 'Custom' }));
  equal([odd.name, odd.constructor === Error], ['Error', true]);
});

await claim('shared and cyclic references are kept', () => {
  const shared = { n: 1 };
  const value = { a: shared, b: shared, list: [] };
  value.self = value;
  value.list.push(value.list, new Map([['me', value]]));
  const copy = structuredClone(value);
  equal([copy.a === copy.b, copy.self === copy, copy.list[0] === copy.list, copy.list[1].get('me') === copy], [true, true, true, true]);
  const bytes = new Uint8Array(4);
  const [x, y] = structuredClone([bytes, new Uint8Array(bytes.buffer, 1)]);
  equal(x.buffer === y.buffer, true);
});

await claim('a SharedArrayBuffer shares its memory with the copy', () => {
  const buffer = new SharedArrayBuffer(4);
  const copy = structuredClone({ buffer, again: buffer, view: new Uint8Array(buffer, 1) });
  copy.view[0] = 7;
  equal([copy.buffer === buffer, copy.again === copy.buffer, copy.view.buffer === copy.buffer, new Uint8Array(buffer)[1]], [false, true, true, 7]);
  throws('DataCloneError', () => structuredClone(buffer, { transfer: [buffer] }));
});

await claim('sparse arrays, own fields of arrays, classes and prototypes', () => {
  const sparse = [1, , 3];
  sparse.extra = 'x';
  const copy = structuredClone(sparse);
  equal([copy.length, 1 in copy, copy.extra], [3, false, 'x']);
  class Point { constructor() { this.x = 1; } get y() { return 2; } }
  const plain = structuredClone(new Point());
  equal([Object.getPrototypeOf(plain) === Object.prototype, JSON.stringify(plain)], [true, '{"x":1}']);
  equal(structuredClone({ get a() { return 7; } }).a, 7);
  equal(Object.hasOwn(structuredClone(Object.defineProperty({}, 'hidden', { value: 1 })), 'hidden'), false);
  const proto = JSON.parse('{"__proto__": 1, "constructor": 2}');
  equal(Object.keys(structuredClone(proto)), ['__proto__', 'constructor']);
});

await claim('what cannot be cloned is a DataCloneError', () => {
  for (const bad of [() => {}, Symbol('s'), { f() {} }, [Symbol()], new WeakMap(), new WeakSet(), Promise.resolve(), new Proxy({}, {}), new Map([[1, () => {}]]), (function* () {})()]) {
    const error = throws('DataCloneError', () => structuredClone(bad));
    equal([error.code, error instanceof DOMException, error instanceof Error], [25, true, true]);
  }
  throws('TypeError', () => structuredClone());
  throws('TypeError', () => structuredClone(1, 5));
});

await claim('an exception of a getter is thrown as it is', () => {
  const thrown = new RangeError('mine');
  equal(throws('RangeError', () => structuredClone({ get a() { throw thrown; } })) === thrown, true);
});

await claim('transferred buffers move and are detached', () => {
  const buffer = new Uint8Array([1, 2, 3]).buffer;
  const kept = new ArrayBuffer(2);
  const copy = structuredClone({ buffer, view: new Uint8Array(buffer, 1), kept }, { transfer: [buffer] });
  equal([buffer.byteLength, copy.buffer.byteLength, [...copy.view], copy.view.buffer === copy.buffer, kept.byteLength], [0, 3, [2, 3], true, 2]);
  throws('DataCloneError', () => structuredClone(1, { transfer: [buffer] }));
  throws('DataCloneError', () => structuredClone(1, { transfer: [{}] }));
  throws('DataCloneError', () => structuredClone(1, { transfer: [kept, kept] }));
  equal(kept.byteLength, 2);
  throws('DataCloneError', () => structuredClone(() => {}, { transfer: [kept] }));
  equal(kept.byteLength, 2, 'after a failure:');
  throws('TypeError', () => structuredClone(1, { transfer: 5 }));
});

await claim('deep values do not overflow silently', () => {
  let deep = null;
  for (let i = 0; i < 1000; i++) deep = { deep };
  let copy = structuredClone(deep);
  let depth = 0;
  for (; copy !== null; copy = copy.deep) depth++;
  equal(depth, 1000);
  for (let i = 0; i < 1e6; i++) deep = [deep];
  throws('RangeError', () => structuredClone(deep));
});

await claim('a DOMException is one again, wherever it stands', () => {
  const exception = new DOMException('m', 'AbortError');
  const value = {
    list: [exception, { exception }], map: new Map([[exception, 1], ['k', exception]]), set: new Set([1, exception]),
    cause: new Error('x', { cause: exception }), bytes: new Uint8Array(2), get getter() { return exception; },
  };
  const copy = structuredClone(value);
  const one = copy.list[0];
  equal([one instanceof DOMException, one.name, one.message, one.code, one.stack === exception.stack], [true, 'AbortError', 'm', 20, true]);
  equal([one === exception, copy.list[1].exception === one, copy.map.get(one), copy.map.get('k') === one], [false, true, 1, true]);
  equal([[...copy.map.keys()].length, [...copy.set][1] === one, copy.cause.cause === one, copy.bytes.length], [2, true, true, 2]);
  equal(structuredClone(exception).name, 'AbortError');
  let deep = exception;
  for (let i = 0; i < 1000; i++) deep = [deep];
  let found = structuredClone(deep);
  while (Array.isArray(found)) found = found[0];
  equal(found.code, 20);
});
