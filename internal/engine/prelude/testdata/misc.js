await claim('random values fill integer arrays in place', () => {
  for (const Type of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array]) {
    const array = new Type(64);
    equal(crypto.getRandomValues(array) === array, true);
    equal(array.some((x) => x != 0), true, Type.name);
  }
  const window = new Uint8Array(32);
  crypto.getRandomValues(window.subarray(8, 24));
  equal([...window.slice(0, 8), ...window.slice(24)].every((x) => x === 0), true);
  equal(crypto.getRandomValues(new Uint8Array(0)).length, 0);
  equal(crypto.getRandomValues(new Uint8Array(65536)).length, 65536);
});

await claim('random values refuse other arrays and more than 65536 bytes', () => {
  equal(throws('QuotaExceededError', () => crypto.getRandomValues(new Uint8Array(65537))).code, 22);
  throws('QuotaExceededError', () => crypto.getRandomValues(new Uint32Array(16385)));
  for (const bad of [new Float32Array(1), new Float64Array(1), new DataView(new ArrayBuffer(1))]) equal(throws('TypeMismatchError', () => crypto.getRandomValues(bad)).code, 17);
  for (const bad of [undefined, null, [], {}, 5, new ArrayBuffer(4)]) throws('TypeError', () => crypto.getRandomValues(bad));
  throws('TypeError', () => crypto.getRandomValues());
  throws('TypeError', () => crypto.getRandomValues.call({}, new Uint8Array(1)));
  throws('TypeError', () => new crypto.constructor());
});

await claim('UUIDs are of version 4 and distinct', () => {
  const uuids = new Set(Array.from({ length: 200 }, () => crypto.randomUUID()));
  equal(uuids.size, 200);
  for (const uuid of uuids) equal(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid), true, uuid);
});

await claim('performance.now is monotonic, fractional and starts with the run', () => {
  const times = Array.from({ length: 2000 }, () => performance.now());
  equal(times.every((t, i) => i === 0 || t >= times[i - 1]), true);
  equal(times[0] >= 0 && times[0] < 60000 && times.some((t) => t % 1 !== 0), true, `${times[0]}:`);
  equal(Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000, true, `${performance.timeOrigin}:`);
  equal(JSON.stringify(Object.keys(performance.toJSON())), '["timeOrigin"]');
  throws('TypeError', () => performance.now.call({}));
});

await claim('DOMException is an error of the platform', () => {
  const error = new DOMException('m', 'NotFoundError');
  equal([error.name, error.message, error.code, `${error}`, error instanceof Error], ['NotFoundError', 'm', 8, 'NotFoundError: m', true]);
  equal(error.stack.startsWith('NotFoundError: m\n    at '), true, error.stack);
  equal(error.stack.includes('realm:'), false, error.stack);
  equal([new DOMException().name, new DOMException().message, new DOMException().code, new DOMException('', 'Own').code], ['Error', '', 0, 0]);
  equal(new DOMException('m', { name: 'AbortError', cause: 5 }).cause, 5);
  equal([DOMException.ABORT_ERR, error.DATA_CLONE_ERR, Object.keys(DOMException).length, Object.keys(error).length], [20, 25, 25, 0]);
  equal(Object.prototype.toString.call(error), '[object DOMException]');
});

await claim('globals are writable, configurable and not enumerable', () => {
  const names = ['console', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'queueMicrotask', 'structuredClone', 'TextEncoder', 'TextDecoder', 'URL', 'URLSearchParams', 'atob', 'btoa', 'performance', 'crypto', 'AbortController', 'AbortSignal', 'Event', 'EventTarget', 'CustomEvent', 'DOMException'];
  for (const name of names) {
    const { writable, configurable, enumerable, value } = Object.getOwnPropertyDescriptor(globalThis, name);
    equal([writable, configurable, enumerable, typeof value !== 'undefined'], [true, true, false, true], name);
    if (typeof value === 'function') equal(value.name, name);
  }
  equal(Object.keys(globalThis).filter((key) => names.includes(key)), []);
  const kept = globalThis.btoa;
  globalThis.btoa = 5;
  equal(btoa, 5);
  equal([delete globalThis.btoa, typeof btoa], [true, 'undefined']);
  globalThis.btoa = kept;
});

await claim('functions have the platform\'s lengths and are no constructors', () => {
  const lengths = { setTimeout: 1, setInterval: 1, clearTimeout: 0, clearInterval: 0, queueMicrotask: 1, structuredClone: 1, atob: 1, btoa: 1, TextEncoder: 0, TextDecoder: 0, URL: 1, URLSearchParams: 0, AbortController: 0, AbortSignal: 0, Event: 1, EventTarget: 0, CustomEvent: 1, DOMException: 0 };
  for (const [name, length] of Object.entries(lengths)) equal(globalThis[name].length, length, name);
  for (const name of ['setTimeout', 'atob', 'structuredClone', 'queueMicrotask']) {
    throws('TypeError', () => new globalThis[name](() => {}));
    equal('prototype' in globalThis[name], false);
  }
});

await claim('interfaces have enumerable members and a tag', () => {
  equal(Object.keys(URL.prototype).sort().join(), 'hash,host,hostname,href,origin,password,pathname,port,protocol,search,searchParams,toJSON,toString,username');
  for (const Class of [URL, URLSearchParams, TextEncoder, TextDecoder, Event, EventTarget, CustomEvent, AbortController, AbortSignal, DOMException, crypto.constructor, performance.constructor]) {
    const { value, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(Class.prototype, Symbol.toStringTag);
    equal([value, writable, enumerable, configurable], [Class.name, false, false, true]);
    equal(Object.getOwnPropertyDescriptor(Class.prototype, 'constructor').enumerable, false);
  }
  equal(`${console}${crypto}${performance}`, '[object console][object Crypto][object Performance]');
});

await claim('nothing of ours is reachable', () => {
  const seen = new Set();
  const queue = [[console, 'console'], [setTimeout, 'setTimeout'], [URL, 'URL'], [AbortSignal, 'AbortSignal'], [TextDecoder, 'TextDecoder'], [crypto, 'crypto'], [performance, 'performance'], [new URL('http://a'), 'url'], [new AbortController().signal, 'signal'], [new EventTarget(), 'target'], [new Event('x'), 'event'], [DOMException, 'DOMException'], [structuredClone, 'structuredClone']];
  while (queue.length > 0) {
    const [value, path] = queue.pop();
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const key of ['urlParse', 'reportError', 'part', 'randomFill', 'uncurryThis']) equal(Object.hasOwn(value, key), false, `${path}.${key}`);
    for (const key of Reflect.ownKeys(value)) {
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      for (const part of ['value', 'get', 'set']) queue.push([descriptor[part], `${path}.${String(key)}`]);
    }
    queue.push([Object.getPrototypeOf(value), `${path}.__proto__`]);
  }
  const frames = [];
  setTimeout(function inner() { frames.push(typeof inner.caller); }, 0);
});
