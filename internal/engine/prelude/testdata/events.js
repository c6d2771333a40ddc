await claim('listeners run in order, capturing ones first, each once per registration', () => {
  const target = new EventTarget();
  const order = [];
  const twice = () => order.push('twice');
  target.addEventListener('x', () => order.push('a'));
  target.addEventListener('x', twice);
  target.addEventListener('x', twice);
  target.addEventListener('x', twice, true);
  target.addEventListener('y', () => order.push('never'));
  equal(target.dispatchEvent(new Event('x')), true);
  equal(order, ['twice', 'a', 'twice']);
});

await claim('the event knows its target and phase during dispatch only', () => {
  const target = new EventTarget();
  const event = new Event('x', { bubbles: true, cancelable: true });
  let during;
  target.addEventListener('x', function (e) {
    during = [e === event, this === target, e.target === target, e.currentTarget === target, e.eventPhase, e.composedPath().length, e.type];
  });
  target.dispatchEvent(event);
  equal(during, [true, true, true, true, 2, 1, 'x']);
  equal([event.currentTarget, event.eventPhase, event.composedPath().length, event.target === target], [null, 0, 0, true]);
  equal([event.bubbles, event.cancelable, event.composed, event.isTrusted, event.defaultPrevented], [true, true, false, false, false]);
  equal(event.timeStamp > 0 && event.timeStamp <= performance.now(), true);
});

await claim('preventDefault needs a cancelable event and an active listener', () => {
  const target = new EventTarget();
  target.addEventListener('x', (e) => e.preventDefault());
  target.addEventListener('p', (e) => e.preventDefault(), { passive: true });
  equal(target.dispatchEvent(new Event('x', { cancelable: true })), false);
  equal(target.dispatchEvent(new Event('x')), true);
  equal(target.dispatchEvent(new Event('p', { cancelable: true })), true);
});

await claim('stopImmediatePropagation ends the dispatch', () => {
  const target = new EventTarget();
  const order = [];
  target.addEventListener('x', (e) => { order.push(1); e.stopImmediatePropagation(); });
  target.addEventListener('x', () => order.push(2));
  const event = new Event('x');
  target.dispatchEvent(event);
  target.dispatchEvent(event);
  equal(order, [1, 1]);
});

await claim('once, removal during dispatch, and listeners added during dispatch', () => {
  const target = new EventTarget();
  const order = [];
  const late = () => order.push('late');
  const gone = () => order.push('gone');
  target.addEventListener('x', () => { order.push('once'); target.removeEventListener('x', gone); target.addEventListener('x', late); }, { once: true });
  target.addEventListener('x', gone);
  target.dispatchEvent(new Event('x'));
  target.dispatchEvent(new Event('x'));
  equal(order, ['once', 'late']);
});

await claim('an object with handleEvent is a listener', () => {
  const target = new EventTarget();
  const listener = { seen: 0, handleEvent(e) { this.seen += e.detail; } };
  target.addEventListener('x', listener);
  target.dispatchEvent(new CustomEvent('x', { detail: 5 }));
  target.removeEventListener('x', listener);
  target.dispatchEvent(new CustomEvent('x', { detail: 5 }));
  equal(listener.seen, 5);
  target.addEventListener('x', null);
  throws('TypeError', () => target.addEventListener('x', 'text'));
  throws('TypeError', () => target.addEventListener('x'));
});

await claim('an abort signal removes a listener', () => {
  const target = new EventTarget();
  const controller = new AbortController();
  let count = 0;
  target.addEventListener('x', () => count++, { signal: controller.signal });
  target.dispatchEvent(new Event('x'));
  controller.abort();
  target.dispatchEvent(new Event('x'));
  target.addEventListener('x', () => count++, { signal: controller.signal });
  target.dispatchEvent(new Event('x'));
  equal(count, 1);
  throws('TypeError', () => target.addEventListener('x', () => {}, { signal: {} }));
});

await claim('wrong receivers, wrong arguments and a dispatch within a dispatch are refused', () => {
  const target = new EventTarget();
  throws('TypeError', () => target.dispatchEvent({ type: 'x' }));
  throws('TypeError', () => target.dispatchEvent());
  throws('TypeError', () => new Event());
  throws('TypeError', () => Event('x'));
  throws('TypeError', () => EventTarget.prototype.dispatchEvent.call({}, new Event('x')));
  throws('TypeError', () => Object.getOwnPropertyDescriptor(Event.prototype, 'type').get.call({}));
  const event = new Event('x');
  let name;
  target.addEventListener('x', () => { name = throws('InvalidStateError', () => target.dispatchEvent(event)).constructor.name; });
  target.dispatchEvent(event);
  equal(name, 'DOMException');
});

await claim('classes extend EventTarget and Event', () => {
  class Emitter extends EventTarget { emit(type) { return this.dispatchEvent(new Named(type)); } }
  class Named extends Event { get upper() { return this.type.toUpperCase(); } }
  const emitter = new Emitter();
  let upper;
  emitter.addEventListener('hi', (e) => { upper = e.upper; });
  emitter.emit('hi');
  equal([upper, emitter instanceof EventTarget, `${new Event('x')}`, Event.AT_TARGET], ['HI', true, '[object Event]', 2]);
});
