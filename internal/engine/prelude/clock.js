'use strict';
(function (native) {
  const construct = {};
  class Performance {
    #brand;
    constructor(token) {
      if (token !== construct) throw new TypeError('Illegal constructor');
    }
    get timeOrigin() { this.#brand; return native.timeOrigin(); }
    now() { this.#brand; return native.now(); }
    toJSON() { this.#brand; return { timeOrigin: native.timeOrigin() }; }
  }
  native.platform(Performance, 'Performance');
  Reflect.defineProperty(Performance, 'length', { __proto__: null, value: 0, configurable: true });
  return { performance: new Performance(construct) };
});
