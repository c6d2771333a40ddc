'use strict';
(function (native, { apply, needs }) {
  const { Event, EventTarget, dispatch } = native.part('events');
  const construct = {};
  let abort;
  let onAbort;
  let isSignal;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    // By number, so that what has nothing more to abort is taken out.
    #algorithms = { __proto__: null };
    #count = 0;
    // A signal made by any() is a dependent of each of its sources, which themselves depend on nothing.
    #sources;
    #dependents = [];
    #handler = null;
    #listening = false;

    static {
      isSignal = (value) => typeof value === 'object' && value !== null && #aborted in value;
      // Answers with what takes it back.
      onAbort = (signal, run) => {
        const at = signal.#count++;
        signal.#algorithms[at] = run;
        return () => { delete signal.#algorithms[at]; };
      };
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#settle(reason);
        const followers = [];
        for (let i = 0; i < signal.#dependents.length; i++) {
          const dependent = signal.#dependents[i];
          if (dependent.#aborted) continue;
          dependent.#settle(signal.#reason);
          followers[followers.length] = dependent;
        }
        signal.#run();
        for (let i = 0; i < followers.length; i++) followers[i].#run();
      };
    }

    constructor(token) {
      if (token !== construct) throw new TypeError('Illegal constructor');
      super();
    }

    #settle(reason) {
      this.#aborted = true;
      this.#reason = reason;
    }

    #run() {
      const algorithms = this.#algorithms;
      this.#algorithms = { __proto__: null };
      for (const at in algorithms) algorithms[at]();
      dispatch(this, new Event('abort'), true);
    }

    static abort(reason = undefined) {
      const signal = new AbortSignal(construct);
      signal.#settle(reason === undefined ? aborted() : reason);
      return signal;
    }

    static timeout(milliseconds) {
      const what = "Failed to execute 'timeout' on 'AbortSignal'";
      needs(arguments.length, 1, what);
      const ms = +milliseconds;
      if (!(ms > -1 && ms <= Number.MAX_SAFE_INTEGER)) throw new TypeError(`${what}: the delay is outside the range of an unsigned long long`);
      const signal = new AbortSignal(construct);
      native.part('timers').after(ms, () => abort(signal, exception('The operation was aborted due to timeout', 'TimeoutError')));
      return signal;
    }

    static any(signals) {
      const what = "Failed to execute 'any' on 'AbortSignal'";
      needs(arguments.length, 1, what);
      const list = [...signals];
      for (let i = 0; i < list.length; i++) {
        if (!isSignal(list[i])) throw new TypeError(`${what}: not an AbortSignal`);
      }
      const result = new AbortSignal(construct);
      for (let i = 0; i < list.length; i++) {
        if (list[i].#aborted) {
          result.#settle(list[i].#reason);
          return result;
        }
      }
      result.#sources = [];
      for (let i = 0; i < list.length; i++) {
        const sources = list[i].#sources ?? [list[i]];
        for (let j = 0; j < sources.length; j++) {
          result.#sources[result.#sources.length] = sources[j];
          sources[j].#dependents[sources[j].#dependents.length] = result;
        }
      }
      return result;
    }

    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }

    get onabort() { return this.#handler; }
    set onabort(handler) {
      this.#handler = typeof handler === 'function' || typeof handler === 'object' ? handler : null;
      // The handler keeps the place among the listeners that its first setting gave it.
      if (this.#listening || this.#handler === null) return;
      this.#listening = true;
      apply(EventTarget.prototype.addEventListener, this, ['abort', (event) => {
        if (typeof this.#handler === 'function') apply(this.#handler, this, [event]);
      }]);
    }
  }
  native.platform(AbortSignal, 'AbortSignal');
  Reflect.defineProperty(AbortSignal, 'length', { __proto__: null, value: 0, configurable: true });

  class AbortController {
    #signal = new AbortSignal(construct);
    get signal() { return this.#signal; }
    abort(reason = undefined) { abort(this.#signal, reason === undefined ? aborted() : reason); }
  }
  native.platform(AbortController, 'AbortController');

  const exception = (message, name) => new (native.part('exception').DOMException)(message, name);
  const aborted = () => exception('This operation was aborted', 'AbortError');

  return { AbortController, AbortSignal, isSignal, onAbort };
});
