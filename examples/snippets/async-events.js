// An event target, an abort signal and an async iterator over a queue of messages.
class Feed extends EventTarget {
  publish(detail) {
    this.dispatchEvent(new CustomEvent('message', { detail }));
  }
}

async function* messages(feed, signal) {
  const queue = [];
  let wake = () => {};
  feed.addEventListener('message', ({ detail }) => { queue.push(detail); wake(); }, { signal });
  signal.addEventListener('abort', () => wake());
  while (!signal.aborted || queue.length > 0) {
    if (queue.length === 0) await new Promise((resolve) => { wake = resolve; });
    while (queue.length > 0) yield queue.shift();
  }
}

const feed = new Feed();
const controller = new AbortController();
let sent = 0;
const timer = setInterval(() => {
  feed.publish(`m${++sent}`);
  if (sent === 3) {
    clearInterval(timer);
    controller.abort(new Error('enough'));
    feed.publish('too late');
  }
}, 1);

const received = [];
for await (const message of messages(feed, controller.signal)) received.push(message.toUpperCase());

const timeout = await new Promise((resolve) => {
  const signal = AbortSignal.timeout(1);
  signal.onabort = () => resolve(signal.reason.name);
});
({ received, reason: controller.signal.reason.message, timeout });
