(native) => {
  'use strict';
  // Awaits here, so that the stack of a refusal leads through here to the await of whoever called.
  const call = async (...fields) => {
    try {
      return await native.call(...fields);
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
  const bytes = (value, what) => {
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return value;
    throw new TypeError(`${what} must be a Uint8Array`);
  };
  const data = (value, what) => (value === undefined || value === null ? undefined : typeof value === 'string' ? value : bytes(value, what));
  const options = (value) => {
    if (value === undefined || value === null) return { __proto__: null };
    if (typeof value !== 'object') throw new TypeError('the options must be an object');
    return value;
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
  const writeBytes = async (path, content) => write(path, false, bytes(content, 'content'));
  const appendText = async (path, content) => write(path, true, text(content, 'content'));
  const makeDirectory = async (path) => call(MAKE_DIRECTORY, `filesystem.write ${text(path, 'path')}`, 's', path);
  const remove = async (path) => call(REMOVE, `filesystem.write ${text(path, 'path')}`, 's', path);

  const pairs = (headers) => {
    if (headers === undefined || headers === null) return [];
    const given = typeof headers[Symbol.iterator] === 'function' ? [...headers] : Object.entries(headers);
    return given.map(([name, value]) => [`${name}`, `${value}`]);
  };
  const request = (url, init, asText) => {
    const { method, headers, body } = options(init);
    const href = `${url}`;
    return call(FETCH, `network ${href}`, 'ssPdb', method === undefined ? 'GET' : text(method, 'method').toUpperCase(), href,
      pairs(headers), typeof body === 'object' && body !== null && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body) && `${body}` !== '[object Object]'
        ? `${body}` : data(body, 'body'), asText);
  };
  const fetchText = async (url, init) => {
    const { status, headers, body } = await request(url, init, true);
    return { status, headers, body };
  };

  class Headers {
    #map;
    constructor(entries) { this.#map = new Map(entries.map(([name, value]) => [name.toLowerCase(), value])); }
    get(name) { return this.#map.get(`${name}`.toLowerCase()) ?? null; }
    has(name) { return this.#map.has(`${name}`.toLowerCase()); }
    keys() { return this.#map.keys(); }
    values() { return this.#map.values(); }
    entries() { return this.#map.entries(); }
    forEach(visit) { this.#map.forEach((value, name) => visit(value, name, this)); }
    [Symbol.iterator]() { return this.#map.entries(); }
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
    async text() { return native.utf8Decode(this.#take(), false).replace(/^\ufeff/, ''); }
    async json() { return JSON.parse(await this.text()); }
  }
  const fetch = async (url, init) => new Response(await request(url, init, false));

  const spawn = async (path, args, init) => {
    const { stdin } = options(init);
    if (args !== undefined && !Array.isArray(args)) throw new TypeError('args must be an array');
    const given = Array.from(args ?? [], (argument) => text(argument, 'an argument'));
    const { code, signal, stdout, stderr } = await call(SPAWN, `subprocess ${text(path, 'path')}`, 'sSd', path, given, data(stdin, 'stdin'));
    // What is not UTF-8 becomes U+FFFD in the text; the bytes are beside it, out of sight of whoever prints the answer.
    return Object.defineProperties({ code, signal, stdout: native.utf8Decode(stdout, false), stderr: native.utf8Decode(stderr, false) }, {
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
