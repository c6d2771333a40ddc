'use strict';
(function (native, { apply, uncurryThis }) {
  const { prototype } = Map;
  const get = uncurryThis(prototype.get);
  const set = uncurryThis(prototype.set);
  const remove = uncurryThis(prototype.delete);
  const then = uncurryThis(Promise.prototype.then);
  const resolved = Promise.resolve();
  const timers = new Map();
  let last = 0;
  let listening = false;

  const fire = (id) => {
    const timer = get(timers, id);
    if (timer === undefined) return;
    if (timer.every === undefined) remove(timers, id);
    // An exception is the engine's to report: it knows the position of what was thrown.
    apply(timer.callback, undefined, timer.args);
    if (timer.every !== undefined && get(timers, id) === timer) native.setTimer(id, timer.every);
  };

  const arm = (callback, ms, args, repeat) => {
    if (!listening) {
      native.onTimer(fire);
      listening = true;
    }
    const id = ++last;
    set(timers, id, { callback, args, every: repeat ? ms : undefined });
    native.setTimer(id, ms);
    return id;
  };

  const callable = (callback, what) => {
    if (typeof callback === 'function') return callback;
    throw new TypeError(`${what}: the callback must be a function, it is ${callback === null ? 'null' : `of type ${typeof callback}`}`);
  };
  // The platform's conversion to a 32-bit integer; what is negative after it fires at once.
  const delay = (ms) => {
    ms |= 0;
    return ms < 0 ? 0 : ms;
  };
  const disarm = (id) => {
    id = +id;
    if (remove(timers, id)) native.clearTimer(id);
  };

  return {
    setTimeout(callback, ms = 0, ...args) { return arm(callable(callback, 'setTimeout'), delay(ms), args, false); },
    setInterval(callback, ms = 0, ...args) { return arm(callable(callback, 'setInterval'), delay(ms), args, true); },
    clearTimeout(id = 0) { disarm(id); },
    clearInterval(id = 0) { disarm(id); },
    queueMicrotask(callback) {
      callable(callback, 'queueMicrotask');
      then(resolved, () => {
        try {
          callback();
        } catch (error) {
          native.reportError(error);
        }
      });
    },
    // A timer of the platform's own, beyond the 32-bit range too.
    after(ms, callback) { arm(callback, ms > 0x7fffffff ? 0x7fffffff : ms >>> 0, [], false); },
  };
});
