'use strict';
(native, { apply, uncurryThis, replace }) => {
  const upper = uncurryThis(String.prototype.toUpperCase);
  const lower = uncurryThis(String.prototype.toLowerCase);
  const { iterator } = Symbol;
  const { prototype: map } = Map;
  const set = uncurryThis(map.set);
  const get = uncurryThis(map.get);
  const has = uncurryThis(map.has);
  const keys = uncurryThis(map.keys);
  const values = uncurryThis(map.values);
  const entries = uncurryThis(map.entries);
  const each = uncurryThis(map.forEach);

  // Awaits here, so that the stack of a refusal leads through here to the await of whoever called.
  const call = async (...fields) => {
    try {
      return await apply(native.call, native, fields);
    } catch (refusal) {
      throw native.error(refusal);
    }
  };
  const ENVIRONMENT = 16, SECRET = 17, READ = 18, LIST = 19, STAT = 20, WRITE = 21, MAKE_DIRECTORY = 22, REMOVE = 23,
    FETCH = 24, SPAWN = 25, TOOL = 26;

  const text = (value, what) => {
    if (typeof value !== 'string') throw new TypeError(`${what} must be a string`);
    return value;
  };
  const whole = (value, what, fallback) => {
    if (value === undefined) return fallback;
    if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`${what} must be an integer that is not negative`);
    return value;
  };
  const bytes = (value, otherwise) => {
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return value;
    throw new TypeError(otherwise);
  };
  const data = (value, what) =>
    value === undefined || value === null ? undefined : typeof value === 'string' ? value : bytes(value, `${what} must be a string or a Uint8Array`);
  const options = (value) => {
    if (value === undefined || value === null) return { __proto__: null };
    if (typeof value !== 'object') throw new TypeError('the options must be an object');
    return value;
  };

  // The answer, or sooner the reason of a signal: what was sent is not called back, but nobody waits for it any more.
  const until = (signal, send) => {
    if (signal === undefined || signal === null) return send();
    const { isSignal, onAbort } = native.part('abort');
    if (!isSignal(signal)) throw new TypeError('signal must be an AbortSignal');
    if (signal.aborted) throw signal.reason;
    return new Promise(async (resolve, reject) => {
      const forget = onAbort(signal, () => reject(signal.reason));
      try {
        resolve(await send());
      } catch (error) {
        reject(error);
      }
      forget(); // the signal would keep the answer
    });
  };

  const environment = async (name) => call(ENVIRONMENT, `environment ${text(name, 'name')}`, 's', name);
  const secret = async (name) => call(SECRET, `secret ${text(name, 'name')}`, 's', name);

  const read = (path, init, asText) => {
    const { offset, length } = options(init);
    return call(READ, `filesystem.read ${text(path, 'path')}`, 'siib', path, whole(offset, 'offset', 0), whole(length, 'length', -1), asText);
  };
  const readText = async (path, init) => read(path, init, true);
  const readBytes = async (path, init) => read(path, init, false);
  const list = async (path) => call(LIST, `filesystem.read ${text(path, 'path')}`, 's', path);
  const stat = async (path) => call(STAT, `filesystem.read ${text(path, 'path')}`, 's', path);

  const write = (path, append, content) => call(WRITE, `filesystem.write ${text(path, 'path')}`, 'sbd', path, append, content);
  const writeText = async (path, content) => write(path, false, text(content, 'content'));
  const writeBytes = async (path, content) => write(path, false, bytes(content, 'content must be a Uint8Array'));
  const appendText = async (path, content) => write(path, true, text(content, 'content'));
  const makeDirectory = async (path) => call(MAKE_DIRECTORY, `filesystem.write ${text(path, 'path')}`, 's', path);
  const remove = async (path) => call(REMOVE, `filesystem.write ${text(path, 'path')}`, 's', path);

  const pairs = (headers) => {
    if (headers === undefined || headers === null) return [];
    const given = Array.isArray(headers) ? headers : typeof headers[iterator] === 'function' ? [...headers] : Object.entries(headers);
    const list = [];
    for (let i = 0; i < given.length; i++) {
      const pair = given[i];
      if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError('headers must be an object or pairs of a name and a value');
      list[i] = [`${pair[0]}`, `${pair[1]}`];
    }
    return list;
  };
  const request = (url, init, asText) => {
    const { method, headers, body, signal, redirect } = options(init);
    if (redirect !== undefined && redirect !== 'follow') throw new TypeError("redirect can only be 'follow': each hop is checked against what is granted");
    const href = `${url}`;
    return until(signal, () => call(FETCH, `network ${href}`, 'ssPdb', method === undefined ? 'GET' : upper(text(method, 'method')), href,
      pairs(headers), typeof body === 'object' && body !== null && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body) && `${body}` !== '[object Object]'
        ? `${body}` : data(body, 'body'), asText));
  };
  const fetchText = async (url, init) => {
    const { status, headers, body } = await request(url, init, true);
    return { status, headers, body };
  };

  class Headers {
    #map = new Map();
    constructor(pairs) { for (let i = 0; i < pairs.length; i++) set(this.#map, lower(pairs[i][0]), pairs[i][1]); }
    get(name) { return get(this.#map, lower(`${name}`)) ?? null; }
    has(name) { return has(this.#map, lower(`${name}`)); }
    keys() { return keys(this.#map); }
    values() { return values(this.#map); }
    entries() { return entries(this.#map); }
    forEach(visit) { each(this.#map, (value, name) => visit(value, name, this)); }
    [iterator]() { return entries(this.#map); }
  }
  class Response {
    #body; #used = false;
    constructor(answer) {
      this.url = answer.url;
      this.status = answer.status;
      this.ok = answer.status >= 200 && answer.status < 300;
      this.statusText = answer.statusText;
      this.redirected = answer.redirected;
      this.headers = new Headers(Object.entries(answer.headers));
      this.#body = answer.body;
    }
    get bodyUsed() { return this.#used; }
    #take() {
      if (this.#used) throw new TypeError('the body has been read already');
      this.#used = true;
      return this.#body;
    }
    async bytes() { return this.#take(); }
    async arrayBuffer() { return this.#take().buffer; }
    async text() { return replace(/^\ufeff/, native.utf8Decode(this.#take(), false), ''); }
    async json() { return JSON.parse(await this.text()); }
  }
  const fetch = async (url, init) => new Response(await request(url, init, false));

  const spawn = async (path, args, init) => {
    const { stdin, signal, cwd, env, shell, timeout } = options(init);
    const given = cwd ? 'cwd' : env ? 'env' : shell ? 'shell' : timeout ? 'timeout' : undefined;
    if (given) throw new TypeError(`spawn takes no ${given}: what is granted says how commands run`);
    if (args !== undefined && !Array.isArray(args)) throw new TypeError('args must be an array');
    const list = [];
    for (let i = 0; i < args?.length; i++) list[i] = text(args[i], 'an argument');
    const answer = await until(signal, () => call(SPAWN, `subprocess ${text(path, 'path')}`, 'sSd', path, list, data(stdin, 'stdin')));
    const { stdout, stderr } = answer;
    // What is not UTF-8 becomes U+FFFD in the text; the bytes are beside it, out of sight of whoever prints the answer.
    return Object.defineProperties({ code: answer.code, signal: answer.signal, stdout: native.utf8Decode(stdout, false), stderr: native.utf8Decode(stderr, false) }, {
      stdoutBytes: { __proto__: null, value: stdout }, stderrBytes: { __proto__: null, value: stderr },
    });
  };

  const tools = { async request(method, params) { return call(TOOL, `tool ${text(method, 'method')}`, 'sv', method, params); } };
  const tool = (name) => ({ async [name](params) { return tools.request(name, params); } })[name];
  const reportStatus = (stage, message) => { native.status(`${stage}`, `${message}`); };

  const { SandboxDeniedError, SandboxOperationError, SandboxAbortedError } = native.part('errors');
  return {
    environment, secret, readText, readBytes, list, stat, writeText, writeBytes, appendText, makeDirectory, remove,
    fetchText, fetch, spawn, request: tools.request, reportStatus, tool, dataProxy: Object.freeze(tools),
    SandboxDeniedError, SandboxOperationError, SandboxAbortedError,
  };
}
