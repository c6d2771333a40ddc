'use strict';
(function () {
  const { apply, ownKeys, defineProperty } = Reflect;
  const { toStringTag } = Symbol;

  // uncurryThis(f)(self, ...args) is f.call(self, ...args), whatever becomes of Function.prototype.call.
  const uncurryThis = Function.prototype.bind.bind(Function.prototype.call);

  // Descriptors have no prototype: a guest that sets Object.prototype.get must not break them.
  const value = (target, key, val, enumerable) =>
    defineProperty(target, key, { __proto__: null, value: val, writable: true, configurable: true, enumerable });

  // An interface of the platform has enumerable members, unlike a class of the language.
  const ofClass = { __proto__: null, prototype: true, name: true, length: true };
  const ofPrototype = { __proto__: null, constructor: true };
  const expose = (target, own) => {
    const keys = ownKeys(target);
    for (let i = 0; i < keys.length; i++) {
      if (typeof keys[i] === 'string' && !own[keys[i]]) defineProperty(target, keys[i], { __proto__: null, enumerable: true });
    }
  };
  const tag = (target, name) =>
    defineProperty(target, toStringTag, { __proto__: null, value: name, configurable: true });
  const platform = (Class, name, view) => {
    expose(Class, ofClass);
    expose(Class.prototype, ofPrototype);
    tag(Class.prototype, name);
    if (view) views.set(Class.prototype, view);
    return Class;
  };

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

  // WebIDL's DOMString and USVString. Engines before 11.1 have no toWellFormed.
  const text = (val) => `${val}`;
  const replace = uncurryThis(RegExp.prototype[Symbol.replace]);
  const wellFormed = String.prototype.toWellFormed
    ? uncurryThis(String.prototype.toWellFormed)
    : (val) => replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, val, '\ufffd');
  const usv = (val) => wellFormed(`${val}`);

  // Prototype -> (value) => what the console shows of it.
  const views = new Map();

  return { apply, uncurryThis, value, tag, platform, needs, dictionary, text, usv, replace, views };
});
