'use strict';
(function (native, { apply, needs, dictionary, text }) {
  // What dispatching needs of an event; a throw here is the brand check.
  let stateOf;

  class Event {
    #state;
    static { stateOf = (event) => event.#state; }

    constructor(type, options = undefined) {
      needs(arguments.length, 1, "Failed to construct 'Event'");
      const { bubbles, cancelable, composed } = dictionary(options, "Failed to construct 'Event'");
      this.#state = {
        __proto__: null, type: text(type), bubbles: !!bubbles, cancelable: !!cancelable, composed: !!composed, target: null,
        phase: 0, dispatching: false, stopped: false, stoppedNow: false, canceled: false, passive: false, trusted: false,
        time: native.now(),
      };
      Reflect.defineProperty(this, 'isTrusted', { __proto__: null, get: isTrusted, enumerable: true });
    }

    get type() { return this.#state.type; }
    get target() { return this.#state.target; }
    get srcElement() { return this.#state.target; }
    get currentTarget() { return this.#state.dispatching ? this.#state.target : null; }
    composedPath() { return this.#state.dispatching ? [this.#state.target] : []; }
    get eventPhase() { return this.#state.phase; }
    stopPropagation() { this.#state.stopped = true; }
    get cancelBubble() { return this.#state.stopped; }
    set cancelBubble(stop) { if (stop) this.#state.stopped = true; }
    stopImmediatePropagation() { this.#state.stopped = this.#state.stoppedNow = true; }
    get bubbles() { return this.#state.bubbles; }
    get cancelable() { return this.#state.cancelable; }
    get returnValue() { return !this.#state.canceled; }
    set returnValue(keep) { if (!keep) this.preventDefault(); }
    preventDefault() {
      const state = this.#state;
      if (state.cancelable && !state.passive) state.canceled = true;
    }
    get defaultPrevented() { return this.#state.canceled; }
    get composed() { return this.#state.composed; }
    get timeStamp() { return this.#state.time; }
    initEvent(type, bubbles = false, cancelable = false) {
      needs(arguments.length, 1, "Failed to execute 'initEvent' on 'Event'");
      const state = this.#state;
      if (state.dispatching) return;
      state.type = text(type);
      state.bubbles = !!bubbles;
      state.cancelable = !!cancelable;
      state.target = null;
      state.stopped = state.stoppedNow = state.canceled = state.trusted = false;
    }
  }
  const { get: isTrusted } = Reflect.getOwnPropertyDescriptor({ get isTrusted() { return stateOf(this).trusted; } }, 'isTrusted');
  native.platform(Event, 'Event');
  const phases = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
  for (let value = 0; value < phases.length; value++) {
    Reflect.defineProperty(Event, phases[value], { __proto__: null, value, enumerable: true });
    Reflect.defineProperty(Event.prototype, phases[value], { __proto__: null, value, enumerable: true });
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, options = undefined) {
      needs(arguments.length, 1, "Failed to construct 'CustomEvent'");
      super(type, options);
      this.#detail = options?.detail ?? null;
    }
    get detail() { return this.#detail; }
  }
  native.platform(CustomEvent, 'CustomEvent');

  const captures = (options) =>
    typeof options === 'object' && options !== null || typeof options === 'function' ? !!options.capture : !!options;
  const isListener = (callback, what) => {
    if (callback === null || callback === undefined) return false;
    if (typeof callback === 'object' || typeof callback === 'function') return true;
    throw new TypeError(`${what}: the callback is not an object`);
  };
  let dispatch;
  let listenersOf;

  class EventTarget {
    // Replaced, never changed: a dispatch walks the list as it was.
    #listeners = [];
    static {
      listenersOf = (target) => target.#listeners;
      dispatch = (target, event, trusted) => {
        const state = stateOf(event);
        state.trusted = trusted;
        state.dispatching = true;
        state.target = target;
        state.phase = 2;
        const listeners = target.#listeners;
        // At the target capturing listeners come first.
        for (let capture = 1; capture >= 0; capture--) {
          for (let i = 0; i < listeners.length && !state.stoppedNow && !(state.stopped && capture === 0); i++) {
            const listener = listeners[i];
            if (listener.removed || listener.capture !== !!capture || listener.type !== state.type) continue;
            if (listener.once) target.#remove(listener);
            state.passive = listener.passive;
            try {
              const { callback } = listener;
              if (typeof callback === 'function') apply(callback, target, [event]);
              else {
                const { handleEvent } = callback;
                if (typeof handleEvent !== 'function') throw new TypeError('handleEvent of an event listener is not a function');
                apply(handleEvent, callback, [event]);
              }
            } catch (error) {
              native.reportError(error);
            }
            state.passive = false;
          }
        }
        state.phase = 0;
        state.dispatching = state.stopped = state.stoppedNow = false;
        return !state.canceled;
      };
    }

    #remove(listener) {
      listener.removed = true;
      listener.forget?.();
      const kept = [];
      for (let i = 0; i < this.#listeners.length; i++) {
        if (this.#listeners[i] !== listener) kept[kept.length] = this.#listeners[i];
      }
      this.#listeners = kept;
    }

    #find(type, callback, capture) {
      for (let i = 0; i < this.#listeners.length; i++) {
        const listener = this.#listeners[i];
        if (listener.type === type && listener.callback === callback && listener.capture === capture) return listener;
      }
    }

    addEventListener(type, callback, options = undefined) {
      const what = "Failed to execute 'addEventListener' on 'EventTarget'";
      needs(arguments.length, 2, what);
      type = text(type);
      const capture = captures(options);
      const { once, passive, signal } = typeof options === 'object' && options !== null ? options : { __proto__: null };
      if (signal !== undefined && !native.part('abort').isSignal(signal)) throw new TypeError(`${what}: signal is not an AbortSignal`);
      if (!isListener(callback, what) || signal?.aborted || this.#find(type, callback, capture)) return;
      const listener = { __proto__: null, type, callback, capture, once: !!once, passive: !!passive, removed: false, forget: undefined };
      const next = [];
      for (let i = 0; i < this.#listeners.length; i++) next[i] = this.#listeners[i];
      next[next.length] = listener;
      this.#listeners = next;
      if (signal) listener.forget = native.part('abort').onAbort(signal, () => this.#remove(listener));
    }

    removeEventListener(type, callback, options = undefined) {
      const what = "Failed to execute 'removeEventListener' on 'EventTarget'";
      needs(arguments.length, 2, what);
      type = text(type);
      const capture = captures(options);
      const listener = isListener(callback, what) ? this.#find(type, callback, capture) : undefined;
      if (listener) this.#remove(listener);
    }

    dispatchEvent(event) {
      const what = "Failed to execute 'dispatchEvent' on 'EventTarget'";
      needs(arguments.length, 1, what);
      this.#listeners;
      if (!(typeof event === 'object' && event !== null && isEvent(event))) throw new TypeError(`${what}: parameter 1 is not of type 'Event'`);
      if (stateOf(event).dispatching) {
        throw new (native.part('exception').DOMException)(`${what}: the event is already being dispatched`, 'InvalidStateError');
      }
      return dispatch(this, event, false);
    }
  }
  native.platform(EventTarget, 'EventTarget');

  const isEvent = (event) => {
    try {
      return stateOf(event) !== undefined;
    } catch {
      return false;
    }
  };

  return { Event, EventTarget, CustomEvent, dispatch, listenersOf };
});
