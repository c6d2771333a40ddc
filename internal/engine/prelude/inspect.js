'use strict';
(function (native, { uncurryThis, replace, views }) {
  const { getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { toStringTag } = Symbol;
  const slice = uncurryThis(String.prototype.slice);
  const indexOf = uncurryThis(String.prototype.indexOf);
  const getter = (on, key) => uncurryThis(getOwnPropertyDescriptor(on, key).get);
  const typedTag = getter(getPrototypeOf(Uint8Array.prototype), toStringTag);
  const isoOf = uncurryThis(Date.prototype.toISOString);
  const timeOf = uncurryThis(Date.prototype.getTime);
  const codeOf = uncurryThis(RegExp.prototype.toString);
  const sourceOf = uncurryThis(Function.prototype.toString);
  const bufferSize = getter(ArrayBuffer.prototype, 'byteLength');
  const mapEach = uncurryThis(Map.prototype.forEach);
  const mapSize = getter(Map.prototype, 'size');
  const setEach = uncurryThis(Set.prototype.forEach);
  const setSize = getter(Set.prototype, 'size');
  const mapGet = uncurryThis(Map.prototype.get);

  const DEPTH = 4;
  const ITEMS = 100;
  const LINE = 76;
  const STRING = 10000;
  // Of one message, about: what comes after is not looked at, however large the value.
  const BUDGET = 131072;

  const escapes = { __proto__: null, '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };
  const escape = (char) => escapes[char] ?? (char.length === 1 && char < '\x80'
    ? `\\x${(char.charCodeAt(0) + 256).toString(16).slice(1).toUpperCase()}`
    : `\\u${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const quote = (string) => {
    let rest = '';
    if (string.length > STRING) {
      rest = `... ${string.length - STRING} more characters`;
      string = slice(string, 0, STRING);
    }
    const mark = indexOf(string, "'") < 0 ? "'" : indexOf(string, '"') < 0 ? '"' : indexOf(string, '`') < 0 ? '`' : "'";
    const body = replace(/[\0-\x1f\\\x7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, string, escape);
    return mark + (mark === "'" ? replace(/'/g, body, "\\'") : body) + mark + rest;
  };

  const keyOf = (key) => {
    if (typeof key === 'symbol') return `[${String(key)}]`;
    return replace(/^[A-Za-z_$][\w$]*$/, key, '') === '' && key !== '' ? key : quote(key);
  };

  const primitive = (value) => {
    switch (typeof value) {
      case 'string': return quote(value);
      case 'bigint': return `${value}n`;
      case 'number': return Object.is(value, -0) ? '-0' : `${value}`;
      default: return String(value);
    }
  };

  // Data properties only: no guest code runs for a name.
  const own = (object, key) => getOwnPropertyDescriptor(object, key)?.value;
  const className = (value) => {
    for (let at = value, hops = 0; at !== null && hops < 100; at = getPrototypeOf(at), hops++) {
      const maker = own(at, 'constructor');
      if (typeof maker !== 'function') continue;
      const name = own(maker, 'name');
      if (typeof name === 'string' && name !== '') return name;
    }
    return null;
  };
  const tagOf = (value) => {
    for (let at = value, hops = 0; at !== null && hops < 100; at = getPrototypeOf(at), hops++) {
      const descriptor = getOwnPropertyDescriptor(at, toStringTag);
      if (descriptor) return typeof descriptor.value === 'string' ? descriptor.value : '';
    }
    return '';
  };

  const brand = (probe, value) => {
    try {
      probe(value);
      return true;
    } catch {
      return false;
    }
  };
  const boxes = [[Number, 'Number'], [String, 'String'], [Boolean, 'Boolean'], [BigInt, 'BigInt'], [Symbol, 'Symbol']];
  const boxed = (value) => {
    for (let i = 0; i < boxes.length; i++) {
      if (value instanceof boxes[i][0]) {
        const { valueOf } = boxes[i][0].prototype;
        if (brand(() => Reflect.apply(valueOf, value, []), value)) return [boxes[i][1], Reflect.apply(valueOf, value, [])];
      }
    }
  };

  // Whether there is more of the object than one line can say.
  const isDeep = (value) =>
    typeof value === 'object' && !(value instanceof Date) && !(value instanceof RegExp) && !(value instanceof Error)
    && (isArray(value) ? value.length > 0 : getPrototypeOf(value) !== Object.prototype || ownKeys(value).length > 0);

  const inspect = (root) => {
    if (typeof root !== 'object' && typeof root !== 'function' || root === null) return primitive(root);

    const path = []; // the objects around the current one
    const circular = new Map(); // object -> number, for those that occur within themselves
    let spent = 0;

    const lines = (prefix, open, items, close, fill, indent) => {
      if (items.length === 0) return `${prefix}${open}${close}`;
      let total = prefix.length + indent + items.length * 2;
      let flat = true;
      for (let i = 0; i < items.length; i++) {
        total += items[i].length;
        if (indexOf(items[i], '\n') >= 0) flat = false;
      }
      let out = '';
      if (flat && total <= LINE && indexOf(prefix, '\n') < 0) {
        for (let i = 0; i < items.length; i++) out += `${i ? ', ' : ''}${items[i]}`;
        return `${prefix}${open} ${out} ${close}`;
      }
      const pad = `\n${' '.repeat(indent + 2)}`;
      let width = 0;
      for (let i = 0; i < items.length; i++) {
        // A long list of short items is filled like a paragraph.
        const room = fill && items.length > 6 && width > 0 && width + items[i].length + 2 + indent < LINE;
        if (i > 0) out += ',';
        out += (room ? ' ' : pad) + items[i];
        width = room ? width + items[i].length + 2 : items[i].length + 2;
      }
      return `${prefix}${open}${out}\n${' '.repeat(indent)}${close}`;
    };

    const property = (object, key, indent, bare) => {
      const descriptor = getOwnPropertyDescriptor(object, key);
      let text;
      if (descriptor === undefined) text = 'undefined';
      else if (descriptor.get) text = descriptor.set ? '[Getter/Setter]' : '[Getter]';
      else if (descriptor.set) text = '[Setter]';
      else text = show(descriptor.value, indent);
      return bare ? text : `${descriptor && !descriptor.enumerable ? `[${String(key)}]` : keyOf(key)}: ${text}`;
    };

    const properties = (object, items, indent, skip) => {
      const keys = ownKeys(object);
      let count = 0;
      for (let i = 0; i < keys.length && spent < BUDGET; i++) {
        if (skip && skip(keys[i]) || !getOwnPropertyDescriptor(object, keys[i])?.enumerable) continue;
        if (++count > ITEMS * 2) {
          items[items.length] = '... more properties';
          break;
        }
        items[items.length] = property(object, keys[i], indent + 2, false);
      }
    };

    const more = (count) => `... ${count} more item${count > 1 ? 's' : ''}`;
    const isIndex = (key) => typeof key === 'string' && replace(/^(?:0|[1-9]\d*)$/, key, '') === '' && key !== '';

    const list = (array, indent) => {
      const items = [];
      const { length } = array;
      let at = 0;
      while (at < length && items.length < ITEMS && spent < BUDGET) {
        if (at in array) {
          items[items.length] = property(array, `${at++}`, indent + 2, true);
          continue;
        }
        const from = at;
        // A sparse array may be as long as it likes.
        while (at < length && at - from < 10000 && !(at in array)) at++;
        if (at - from === 10000) at = length;
        items[items.length] = `<${at - from} empty item${at - from > 1 ? 's' : ''}>`;
      }
      if (at < length) items[items.length] = more(length - at);
      return items;
    };

    const errorText = (error, indent) => {
      const stack = own(error, 'stack') ?? error.stack;
      let text = typeof stack === 'string' && stack !== '' ? stack : `[${String(error)}]`;
      if (indent > 0) text = replace(/\n/g, text, `\n${' '.repeat(indent)}`);
      return text;
    };

    const describe = (value, indent) => {
      const name = className(value);
      const tagged = tagOf(value);
      const extra = tagged !== '' && tagged !== name ? ` [${tagged}]` : '';
      const prefix = `${name ?? '[Object: null prototype]'}${extra} `;
      const items = [];

      if (isArray(value)) {
        const head = name === 'Array' && extra === '' ? '' : `${name ?? '[Array: null prototype]'}(${value.length})${extra} `;
        const all = list(value, indent);
        const { length } = all;
        properties(value, all, indent, (key) => isIndex(key) || key === 'length');
        return lines(head, '[', all, ']', all.length === length, indent);
      }
      if (typeof value === 'function') {
        const source = sourceOf(value);
        const called = own(value, 'name');
        const label = typeof called === 'string' && called !== '' ? called : '';
        let text;
        if (slice(source, 0, 5) === 'class') {
          const parent = getPrototypeOf(value);
          const above = typeof parent === 'function' ? own(parent, 'name') : '';
          text = `[class ${label || '(anonymous)'}${above ? ` extends ${above}` : ''}]`;
        } else {
          text = `[${name ?? 'Function'}${label ? `: ${label}` : ' (anonymous)'}]`;
        }
        properties(value, items, indent);
        return items.length === 0 ? text : lines(`${text} `, '{', items, '}', false, indent);
      }

      for (let at = getPrototypeOf(value), hops = 0; views.size > 0 && at !== null && hops < 10; at = getPrototypeOf(at), hops++) {
        const view = mapGet(views, at);
        if (view === undefined || at === value) continue;
        let seen;
        try {
          seen = view(value);
        } catch {
          break;
        }
        if (seen instanceof Map) mapEach(seen, (v, k) => { items[items.length] = `${show(k, indent + 2)} => ${show(v, indent + 2)}`; });
        else properties(seen, items, indent);
        properties(value, items, indent);
        return lines(prefix, '{', items, '}', false, indent);
      }

      if (value instanceof Error) {
        const text = errorText(value, indent);
        for (const key of ['cause', 'errors']) {
          const descriptor = getOwnPropertyDescriptor(value, key);
          if (descriptor && !descriptor.enumerable) items[items.length] = property(value, key, indent + 2, false);
        }
        properties(value, items, indent, (key) => (key === 'stack' || key === 'message' || key === 'name') && indexOf(text, String(own(value, key))) >= 0);
        return items.length === 0 ? text : lines(`${text} `, '{', items, '}', false, indent);
      }
      if (value instanceof Map && brand(mapSize, value)) {
        const size = mapSize(value);
        let seen = 0;
        mapEach(value, (v, k) => {
          if (seen++ < ITEMS && spent < BUDGET) items[items.length] = `${show(k, indent + 2)} => ${show(v, indent + 2)}`;
        });
        if (items.length < size) items[items.length] = more(size - items.length);
        properties(value, items, indent);
        return lines(`${name ?? 'Map'}(${size})${tagged === 'Map' ? '' : extra} `, '{', items, '}', false, indent);
      }
      if (value instanceof Set && brand(setSize, value)) {
        const size = setSize(value);
        let seen = 0;
        setEach(value, (v) => {
          if (seen++ < ITEMS && spent < BUDGET) items[items.length] = show(v, indent + 2);
        });
        if (items.length < size) items[items.length] = more(size - items.length);
        properties(value, items, indent);
        return lines(`${name ?? 'Set'}(${size})${tagged === 'Set' ? '' : extra} `, '{', items, '}', true, indent);
      }
      if (isView(value) && typedTag(value) !== undefined) {
        const { length } = value;
        for (let i = 0; i < length && i < ITEMS; i++) items[i] = primitive(value[i]);
        if (length > ITEMS) items[ITEMS] = more(length - ITEMS);
        return lines(`${name}(${length}) `, '[', items, ']', true, indent);
      }
      if (value instanceof ArrayBuffer && brand(bufferSize, value)) {
        const size = bufferSize(value);
        const bytes = new Uint8Array(value, 0, size < 50 ? size : 50);
        let text = '';
        for (let i = 0; i < bytes.length; i++) text += `${i ? ' ' : ''}${(bytes[i] + 256).toString(16).slice(1)}`;
        return lines(prefix, '{', [`<${text}${size > 50 ? ` ... ${size - 50} more bytes` : ''}>`, `byteLength: ${size}`], '}', false, indent);
      }
      let text = '';
      if (value instanceof Date && brand(timeOf, value)) text = timeOf(value) === timeOf(value) ? isoOf(value) : 'Invalid Date';
      else if (value instanceof RegExp && brand(codeOf, value) && tagged === '') text = codeOf(value);
      else {
        const box = boxed(value);
        if (box) text = `[${box[0]}: ${primitive(box[1])}]`;
      }
      if (text !== '') {
        properties(value, items, indent, isIndex);
        return items.length === 0 ? text : lines(`${text} `, '{', items, '}', false, indent);
      }
      const state = native.promiseState(value);
      if (state !== undefined) {
        items[0] = state[0] === 0 ? '<pending>' : `${state[0] === 2 ? '<rejected> ' : ''}${show(state[1], indent + 2)}`;
        properties(value, items, indent);
        return lines(prefix, '{', items, '}', false, indent);
      }
      if (value instanceof WeakMap || value instanceof WeakSet) items[0] = '<items unknown>';
      properties(value, items, indent);
      return lines(name === 'Object' && extra === '' ? '' : prefix, '{', items, '}', false, indent);
    };

    const show = (value, indent) => {
      if (typeof value !== 'object' && typeof value !== 'function' || value === null) {
        const text = primitive(value);
        spent += text.length;
        return text;
      }
      const target = native.proxyTarget(value);
      if (target === null) return '<Revoked Proxy>';
      if (target !== undefined) return show(target, indent);
      for (let i = 0; i < path.length; i++) {
        if (path[i] !== value) continue;
        if (!circular.has(value)) circular.set(value, circular.size + 1);
        return `[Circular *${circular.get(value)}]`;
      }
      if (spent >= BUDGET) return '...';
      spent += 4;
      if (path.length > DEPTH && isDeep(value)) return isArray(value) ? '[Array]' : `[${className(value) ?? 'Object'}]`;
      path[path.length] = value;
      let text = describe(value, indent);
      path.length--;
      if (circular.has(value)) text = `<ref *${circular.get(value)}> ${text}`;
      return text;
    };
    return show(root, 0);
  };

  return { inspect };
});
