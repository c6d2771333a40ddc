await claim('a controller aborts its signal once', () => {
  const controller = new AbortController();
  const { signal } = controller;
  const seen = [];
  signal.addEventListener('abort', (e) => seen.push(e.type, e.isTrusted, e.target === signal));
  signal.onabort = () => seen.push('handler');
  equal([signal.aborted, signal.reason, signal === controller.signal], [false, undefined, true]);
  signal.throwIfAborted();
  controller.abort();
  controller.abort('later');
  equal(seen, ['abort', true, true, 'handler']);
  equal([signal.aborted, signal.reason.name, signal.reason.code, signal.reason instanceof DOMException], [true, 'AbortError', 20, true]);
  equal(throws('AbortError', () => signal.throwIfAborted()) === signal.reason, true);
});

await claim('any value is a reason', () => {
  for (const reason of [0, null, 'text', false]) {
    const controller = new AbortController();
    controller.abort(reason);
    equal(controller.signal.reason, reason);
    equal(AbortSignal.abort(reason).reason, reason);
  }
  equal(AbortSignal.abort().reason.name, 'AbortError');
});

await claim('onabort is replaced in place and takes only callables', () => {
  const controller = new AbortController();
  const order = [];
  controller.signal.onabort = () => order.push('old');
  controller.signal.addEventListener('abort', () => order.push('listener'));
  controller.signal.onabort = function () { order.push(this === controller.signal); };
  equal(typeof controller.signal.onabort, 'function');
  controller.abort();
  equal(order, [true, 'listener']);
  controller.signal.onabort = 'text';
  equal(controller.signal.onabort, null);
});

await claim('timeout aborts with a TimeoutError', async () => {
  const signal = AbortSignal.timeout(1);
  equal(signal.aborted, false);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  equal([signal.aborted, signal.reason.name, signal.reason.code], [true, 'TimeoutError', 23]);
  for (const bad of [-1, NaN, Infinity, 'x', 2 ** 60]) throws('TypeError', () => AbortSignal.timeout(bad));
  throws('TypeError', () => AbortSignal.timeout());
});

await claim('any follows its sources, also through other followers', () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const first = AbortSignal.any([a.signal, b.signal]);
  const second = AbortSignal.any(new Set([first]));
  const order = [];
  first.addEventListener('abort', () => order.push('first', second.aborted));
  second.addEventListener('abort', () => order.push('second'));
  b.signal.addEventListener('abort', () => order.push('source', first.aborted));
  b.abort('why');
  a.abort('too late');
  equal(order, ['source', true, 'first', true, 'second']);
  equal([first.reason, second.reason], ['why', 'why']);
  equal(AbortSignal.any([a.signal]).reason, 'too late');
  equal(AbortSignal.any([]).aborted, false);
  throws('TypeError', () => AbortSignal.any([{}]));
  throws('TypeError', () => AbortSignal.any(5));
});

await claim('signals are made by controllers only', () => {
  throws('TypeError', () => new AbortSignal());
  throws('TypeError', () => AbortController());
  const { get } = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted');
  throws('TypeError', () => get.call({}));
  equal(new AbortController().signal instanceof EventTarget, true);
  equal(`${new AbortController().signal}${new AbortController()}`, '[object AbortSignal][object AbortController]');
});
