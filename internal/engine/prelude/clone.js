'use strict';
(function (native, { needs, dictionary, uncurryThis }) {
  const copied = uncurryThis(Map.prototype.get);
  const copy = uncurryThis(Map.prototype.set);
  const clearMap = uncurryThis(Map.prototype.clear);
  const eachOfMap = uncurryThis(Map.prototype.forEach);
  const add = uncurryThis(Set.prototype.add);
  const clearSet = uncurryThis(Set.prototype.clear);
  const eachOfSet = uncurryThis(Set.prototype.forEach);

  const size = (prototype) => uncurryThis(Reflect.getOwnPropertyDescriptor(prototype, 'size').get);
  const sizeOfMap = size(Map.prototype);
  const sizeOfSet = size(Set.prototype);
  const has = (size, value) => { try { return size(value) >= 0; } catch { return false; } };

  // Puts a DOMException where V8 put the plain Error that it takes one for. The two values are walked side by side.
  const mend = (value, clone) => {
    const copies = new Map();
    const from = [];
    const to = [];
    const meet = (a, b) => {
      if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return b;
      const known = copied(copies, a);
      if (known !== undefined) return known;
      const made = native.exceptionCopy(a) ?? b;
      copy(copies, a, made);
      from[from.length] = a;
      to[to.length] = made;
      return made;
    };
    const result = meet(value, clone);
    for (let i = 0; i < from.length; i++) {
      const made = to[i];
      const old = [];
      if (has(sizeOfMap, made)) {
        const fresh = [];
        eachOfMap(from[i], (item, key) => { old[old.length] = key; old[old.length] = item; });
        eachOfMap(made, (item, key) => { fresh[fresh.length] = key; fresh[fresh.length] = item; });
        clearMap(made);
        for (let j = 0; j < fresh.length; j += 2) copy(made, meet(old[j], fresh[j]), meet(old[j + 1], fresh[j + 1]));
      } else if (has(sizeOfSet, made)) {
        const fresh = [];
        eachOfSet(from[i], (item) => { old[old.length] = item; });
        eachOfSet(made, (item) => { fresh[fresh.length] = item; });
        clearSet(made);
        for (let j = 0; j < fresh.length; j++) add(made, meet(old[j], fresh[j]));
      } else if (!ArrayBuffer.isView(made)) {
        const keys = Reflect.ownKeys(made);
        for (let j = 0; j < keys.length; j++) {
          const a = Reflect.getOwnPropertyDescriptor(from[i], keys[j]);
          const b = Reflect.getOwnPropertyDescriptor(made, keys[j]);
          if (a === undefined || b === undefined || !b.writable) continue;
          const item = meet(a.value, b.value);
          if (item !== b.value) made[keys[j]] = item;
        }
      }
    }
    return result;
  };

  return {
    structuredClone(value, options = undefined) {
      const what = "Failed to execute 'structuredClone'";
      needs(arguments.length, 1, what);
      const { transfer } = dictionary(options, what);
      const fail = (message) => new (native.part('exception').DOMException)(message, 'DataCloneError');
      const list = transfer === undefined ? [] : [...transfer];
      for (let i = 0; i < list.length; i++) {
        for (let j = 0; j < i; j++) {
          if (list[i] === list[j]) throw fail('ArrayBuffer occurs twice in the transfer list');
        }
      }
      const clone = native.structuredClone(value, list, fail);
      return native.exceptionCopy === undefined ? clone : mend(value, clone);
    },
  };
});
