'use strict';
(function () {
  const { apply } = Reflect;

  // uncurryThis(f)(self, ...args) is f.call(self, ...args), whatever becomes of Function.prototype.call.
  const uncurryThis = Function.prototype.bind.bind(Function.prototype.call);

  const needs = (count, needed, what) => {
    if (count < needed) {
      throw new TypeError(`${what}: ${needed} argument${needed > 1 ? 's' : ''} required, but only ${count} present`);
    }
  };

  // A WebIDL dictionary: absent, null or an object.
  const dictionary = (options, what) => {
    if (options === undefined || options === null) return { __proto__: null };
    if (typeof options !== 'object' && typeof options !== 'function') throw new TypeError(`${what}: options must be an object`);
    return options;
  };

  const replace = uncurryThis(RegExp.prototype[Symbol.replace]);

  // WebIDL's DOMString and USVString. Engines before 11.1 have no toWellFormed.
  const text = (val) => `${val}`;
  let wellFormed;
  const usv = (val) => {
    wellFormed ??= String.prototype.toWellFormed
      ? uncurryThis(String.prototype.toWellFormed)
      : (string) => replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, string, '\ufffd');
    return wellFormed(`${val}`);
  };

  return { apply, uncurryThis, needs, dictionary, replace, text, usv };
});
