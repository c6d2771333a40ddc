'use strict';
(function (native, { uncurryThis, needs, usv }) {
  const split = uncurryThis(String.prototype.split);
  const slice = uncurryThis(String.prototype.slice);

  const HREF = 0, ORIGIN = 1, PROTOCOL = 2, USERNAME = 3, PASSWORD = 4, HOST = 5, HOSTNAME = 6, PORT = 7, PATHNAME = 8, SEARCH = 9, HASH = 10;
  const record = (input, base) => {
    input = usv(input);
    if (base !== undefined) base = usv(base);
    const packed = native.urlParse(input, base);
    return packed === undefined ? undefined : split(packed, '\n');
  };
  const shown = (input) => `'${slice(usv(input), 0, 200)}'`;

  class URL {
    // The serialised components, in the order of the names above.
    #parts;
    #params;

    constructor(url, base = undefined) {
      needs(arguments.length, 1, "Failed to construct 'URL'");
      this.#parts = record(url, base);
      if (this.#parts === undefined) {
        throw new TypeError(`Invalid URL: ${shown(url)}${base === undefined ? '' : ` with base ${shown(base)}`}`);
      }
    }

    static canParse(url, base = undefined) {
      needs(arguments.length, 1, "Failed to execute 'canParse' on 'URL'");
      return record(url, base) !== undefined;
    }

    static parse(url, base = undefined) {
      needs(arguments.length, 1, "Failed to execute 'parse' on 'URL'");
      url = usv(url);
      if (base !== undefined) base = usv(base);
      return record(url, base) === undefined ? null : new URL(url, base);
    }

    #set(property, value) { this.#parts = split(native.urlSet(this.#parts[HREF], property, usv(value)), '\n'); }
    #reload() {
      const search = this.#parts[SEARCH];
      if (this.#params) native.part('params').refill(this.#params, slice(search, 1));
    }

    get href() { return this.#parts[HREF]; }
    set href(value) {
      const parts = record(value, undefined);
      if (parts === undefined) throw new TypeError(`Invalid URL: ${shown(value)}`);
      this.#parts = parts;
      this.#reload();
    }
    get origin() { return this.#parts[ORIGIN]; }
    get protocol() { return this.#parts[PROTOCOL]; }
    set protocol(value) { this.#set('protocol', value); }
    get username() { return this.#parts[USERNAME]; }
    set username(value) { this.#set('username', value); }
    get password() { return this.#parts[PASSWORD]; }
    set password(value) { this.#set('password', value); }
    get host() { return this.#parts[HOST]; }
    set host(value) { this.#set('host', value); }
    get hostname() { return this.#parts[HOSTNAME]; }
    set hostname(value) { this.#set('hostname', value); }
    get port() { return this.#parts[PORT]; }
    set port(value) { this.#set('port', value); }
    get pathname() { return this.#parts[PATHNAME]; }
    set pathname(value) { this.#set('pathname', value); }
    get search() { return this.#parts[SEARCH]; }
    set search(value) {
      this.#set('search', value);
      this.#reload();
    }
    get searchParams() {
      if (this.#params === undefined) {
        this.#parts[SEARCH];
        this.#params = native.part('params').linkTo((query) => this.#set('search', query));
        this.#reload();
      }
      return this.#params;
    }
    get hash() { return this.#parts[HASH]; }
    set hash(value) { this.#set('hash', value); }
    toString() { return this.#parts[HREF]; }
    toJSON() { return this.#parts[HREF]; }
  }
  native.platform(URL, 'URL', (url) => {
    const { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash } = url;
    return { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash };
  });

  return { URL };
});
