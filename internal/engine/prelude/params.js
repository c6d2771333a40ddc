'use strict';
(function (native, { apply, uncurryThis, needs, usv, replace }) {
  const split = uncurryThis(String.prototype.split);
  const slice = uncurryThis(String.prototype.slice);
  const indexOf = uncurryThis(String.prototype.indexOf);
  const sort = uncurryThis(Array.prototype.sort);
  const sub = uncurryThis(Uint8Array.prototype.subarray);
  const { encodeURIComponent, decodeURIComponent } = globalThis;
  const { iterator } = Symbol;

  // application/x-www-form-urlencoded, both ways.
  const escapes = { __proto__: null, '%20': '+', '!': '%21', "'": '%27', '(': '%28', ')': '%29', '~': '%7E' };
  const encode = (part) => replace(/%20|[!'()~]/g, encodeURIComponent(part), (found) => escapes[found]);
  const hex = (code) => code >= 48 && code <= 57 ? code - 48 : (code | 32) >= 97 && (code | 32) <= 102 ? (code | 32) - 87 : -1;
  const decode = (part) => {
    if (indexOf(part, '+') >= 0) part = replace(/\+/g, part, ' ');
    if (indexOf(part, '%') < 0) return part;
    try {
      return decodeURIComponent(part);
    } catch {
      const bytes = native.utf8Encode(part);
      let at = 0;
      for (let i = 0; i < bytes.length; i++) {
        const high = bytes[i] === 37 && i + 2 < bytes.length ? hex(bytes[i + 1]) : -1;
        const low = high >= 0 ? hex(bytes[i + 2]) : -1;
        bytes[at++] = low >= 0 ? high << 4 | low : bytes[i];
        if (low >= 0) i += 2;
      }
      return native.utf8Decode(sub(bytes, 0, at), false);
    }
  };
  const parse = (query) => {
    const list = [];
    if (query === '') return list;
    const parts = split(query, '&');
    for (let i = 0; i < parts.length; i++) {
      if (parts[i] === '') continue;
      const equals = indexOf(parts[i], '=');
      list[list.length] = decode(equals < 0 ? parts[i] : slice(parts[i], 0, equals));
      list[list.length] = equals < 0 ? '' : decode(slice(parts[i], equals + 1));
    }
    return list;
  };
  const serialize = (list) => {
    let query = '';
    for (let i = 0; i < list.length; i += 2) query += `${i ? '&' : ''}${encode(list[i])}=${encode(list[i + 1])}`;
    return query;
  };

  let iterate;
  let linkTo;
  let refill;
  const on = (method) => `Failed to execute '${method}' on 'URLSearchParams'`;

  class URLSearchParams {
    // Names at even places, values at odd ones.
    #list = [];
    // Tells the URL that owns this object.
    #changed;

    static {
      iterate = (params, kind) => params.#list && new ParamsIterator(() => params.#list, kind);
      linkTo = (changed) => {
        const params = new URLSearchParams();
        params.#changed = changed;
        return params;
      };
      refill = (params, query) => { params.#list = parse(query); };
    }

    constructor(init = '') {
      if (init !== null && (typeof init === 'object' || typeof init === 'function')) this.#fill(init);
      else {
        init = usv(init);
        this.#list = parse(init[0] === '?' ? slice(init, 1) : init);
      }
    }

    #fill(init) {
      const list = this.#list;
      const what = "Failed to construct 'URLSearchParams'";
      const method = init[iterator];
      if (method !== undefined && method !== null) {
        if (typeof method !== 'function') throw new TypeError(`${what}: the object's iterator is not a function`);
        for (const pair of { [iterator]: () => apply(method, init, []) }) {
          if (pair === null || typeof pair !== 'object' && typeof pair !== 'function' || typeof pair[iterator] !== 'function') {
            throw new TypeError(`${what}: each pair must be an iterable of a name and a value`);
          }
          const both = [...pair];
          if (both.length !== 2) throw new TypeError(`${what}: each pair must hold exactly a name and a value`);
          list[list.length] = usv(both[0]);
          list[list.length] = usv(both[1]);
        }
        return;
      }
      const keys = Reflect.ownKeys(init);
      for (let i = 0; i < keys.length; i++) {
        if (!Reflect.getOwnPropertyDescriptor(init, keys[i])?.enumerable) continue;
        const name = usv(keys[i]);
        const value = usv(init[keys[i]]);
        // Two keys can become one by the replacement of lone surrogates.
        let at = 0;
        while (at < list.length && list[at] !== name) at += 2;
        list[at] = name;
        list[at + 1] = value;
      }
    }

    #update(list) {
      this.#list = list;
      this.#changed?.(serialize(list));
    }

    get size() { return this.#list.length / 2; }

    append(name, value) {
      this.#list;
      needs(arguments.length, 2, on('append'));
      name = usv(name);
      value = usv(value);
      this.#list[this.#list.length] = name;
      this.#list[this.#list.length] = value;
      this.#update(this.#list);
    }

    delete(name, value = undefined) {
      this.#list;
      needs(arguments.length, 1, on('delete'));
      name = usv(name);
      if (value !== undefined) value = usv(value);
      const kept = [];
      for (let i = 0; i < this.#list.length; i += 2) {
        if (this.#list[i] === name && (value === undefined || this.#list[i + 1] === value)) continue;
        kept[kept.length] = this.#list[i];
        kept[kept.length] = this.#list[i + 1];
      }
      this.#update(kept);
    }

    get(name) {
      this.#list;
      needs(arguments.length, 1, on('get'));
      name = usv(name);
      for (let i = 0; i < this.#list.length; i += 2) {
        if (this.#list[i] === name) return this.#list[i + 1];
      }
      return null;
    }

    getAll(name) {
      this.#list;
      needs(arguments.length, 1, on('getAll'));
      name = usv(name);
      const all = [];
      for (let i = 0; i < this.#list.length; i += 2) {
        if (this.#list[i] === name) all[all.length] = this.#list[i + 1];
      }
      return all;
    }

    has(name, value = undefined) {
      this.#list;
      needs(arguments.length, 1, on('has'));
      name = usv(name);
      if (value !== undefined) value = usv(value);
      for (let i = 0; i < this.#list.length; i += 2) {
        if (this.#list[i] === name && (value === undefined || this.#list[i + 1] === value)) return true;
      }
      return false;
    }

    set(name, value) {
      this.#list;
      needs(arguments.length, 2, on('set'));
      name = usv(name);
      value = usv(value);
      const next = [];
      let found = false;
      for (let i = 0; i < this.#list.length; i += 2) {
        if (this.#list[i] === name && found) continue;
        next[next.length] = this.#list[i];
        next[next.length] = this.#list[i] === name ? value : this.#list[i + 1];
        if (this.#list[i] === name) found = true;
      }
      if (!found) {
        next[next.length] = name;
        next[next.length] = value;
      }
      this.#update(next);
    }

    sort() {
      const pairs = [];
      for (let i = 0; i < this.#list.length; i += 2) pairs[pairs.length] = { name: this.#list[i], value: this.#list[i + 1] };
      sort(pairs, (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
      const sorted = [];
      for (let i = 0; i < pairs.length; i++) {
        sorted[2 * i] = pairs[i].name;
        sorted[2 * i + 1] = pairs[i].value;
      }
      this.#update(sorted);
    }

    entries() { return iterate(this, 2); }
    keys() { return iterate(this, 0); }
    values() { return iterate(this, 1); }

    forEach(callback, thisArg = undefined) {
      this.#list;
      if (typeof callback !== 'function') throw new TypeError(`${on('forEach')}: the callback is not a function`);
      for (let i = 0; i < this.#list.length; i += 2) apply(callback, thisArg, [this.#list[i + 1], this.#list[i], this]);
    }

    toString() { return serialize(this.#list); }
  }
  native.platform(URLSearchParams, 'URLSearchParams', (params) => new Map(params));
  Reflect.defineProperty(URLSearchParams, 'length', { __proto__: null, value: 0, configurable: true });
  const { entries } = URLSearchParams.prototype;
  Reflect.defineProperty(URLSearchParams.prototype, iterator, { __proto__: null, value: entries, writable: true, configurable: true });

  class ParamsIterator {
    #list;
    #kind;
    #at = 0;
    constructor(list, kind) {
      this.#list = list;
      this.#kind = kind;
    }
    next() {
      const list = this.#list();
      const at = this.#at;
      if (at >= list.length) return { value: undefined, done: true };
      this.#at += 2;
      return { value: this.#kind === 2 ? [list[at], list[at + 1]] : list[at + this.#kind], done: false };
    }
  }
  delete ParamsIterator.prototype.constructor;
  native.platform(ParamsIterator, 'URLSearchParams Iterator');
  Reflect.setPrototypeOf(ParamsIterator.prototype, Reflect.getPrototypeOf(Reflect.getPrototypeOf(function* () {}.prototype)));

  return { URLSearchParams, linkTo, refill };
});
