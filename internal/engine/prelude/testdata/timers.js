const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

await claim('timers fire by deadline, then in the order they were set', async () => {
  const order = [];
  setTimeout(() => order.push('b'), 2);
  setTimeout(() => order.push('a'), 1);
  setTimeout(() => order.push('first'), 0);
  setTimeout(() => order.push('second'), 0);
  await sleep(6);
  equal(order, ['first', 'second', 'a', 'b']);
});

await claim('a delay is optional', async () => {
  let ran = false;
  setTimeout(() => { ran = true; });
  await sleep(0);
  equal(ran, true);
});

await claim('odd delays fire at once', async () => {
  let count = 0;
  for (const delay of [-1, NaN, 'x', null, undefined, {}, -Infinity, 2 ** 31]) setTimeout(() => count++, delay);
  await sleep(2);
  equal(count, 8);
  let converted = 0;
  setTimeout(() => converted++, '1');
  setTimeout(() => converted++, { valueOf: () => 1 });
  await sleep(5);
  equal(converted, 2);
  throws('TypeError', () => setTimeout(() => {}, 1n));
  throws('TypeError', () => setTimeout(() => {}, Symbol()));
});

await claim('further arguments are passed on', async () => {
  let got;
  setTimeout((...args) => { got = args; }, 0, 1, 'two', [3]);
  await sleep(1);
  equal(got, [1, 'two', [3]]);
});

await claim('a callback must be a function', () => {
  for (const bad of [undefined, null, 'alert(1)', {}, 5]) {
    throws('TypeError', () => setTimeout(bad));
    throws('TypeError', () => setInterval(bad, 1));
    throws('TypeError', () => queueMicrotask(bad));
  }
});

await claim('ids are positive, distinct numbers, and clearing tolerates anything', async () => {
  let ran = 0;
  const id = setTimeout(() => ran++, 0);
  const other = setTimeout(() => ran++, 0);
  equal(typeof id === 'number' && id > 0 && other !== id, true);
  clearTimeout(`${id}`);
  clearInterval(other);
  for (const odd of [undefined, null, 'x', -1, 1e9, {}, NaN]) clearTimeout(odd);
  clearTimeout();
  await sleep(2);
  equal(ran, 0);
});

await claim('an interval repeats until it is cleared, from within too', async () => {
  let count = 0;
  await new Promise((resolve) => {
    const id = setInterval((step) => {
      count += step;
      if (count === 6) {
        clearInterval(id);
        resolve();
      }
    }, 1, 2);
  });
  await sleep(4);
  equal(count, 6);
});

await claim('a timer can clear another that is due at the same moment', async () => {
  const order = [];
  let second;
  setTimeout(() => { order.push(1); clearTimeout(second); }, 0);
  second = setTimeout(() => order.push(2), 0);
  await sleep(2);
  equal(order, [1]);
});

await claim('microtasks run between timers, before the next one', async () => {
  const order = [];
  setTimeout(() => {
    order.push('t1');
    queueMicrotask(() => order.push('m1'));
    Promise.resolve().then(() => order.push('m2')).then(() => order.push('m3'));
  }, 0);
  setTimeout(() => order.push('t2'), 0);
  await sleep(2);
  equal(order, ['t1', 'm1', 'm2', 'm3', 't2']);
});

await claim('queueMicrotask keeps order with promises and answers undefined', async () => {
  const order = [];
  Promise.resolve().then(() => order.push(1));
  equal(queueMicrotask(() => order.push(2)), undefined);
  Promise.resolve().then(() => order.push(3));
  order.push(0);
  await sleep(0);
  equal(order, [0, 1, 2, 3]);
});

await claim('nested timers wait their own time', async () => {
  const began = performance.now();
  await new Promise((resolve) => setTimeout(() => setTimeout(() => setTimeout(resolve, 2), 2), 2));
  const took = performance.now() - began;
  equal(took >= 6, true, `${took} ms:`);
});

await claim('an async callback of an interval does not stack the interval up', async () => {
  const at = [];
  const id = setInterval(async () => { at.push(performance.now()); }, 2);
  await sleep(15);
  clearInterval(id);
  equal(at.length >= 2 && at.every((t, i) => i === 0 || t - at[i - 1] >= 1.9), true);
});
