'use strict';
(function (native, { text }) {
  const constants = [
    'INDEX_SIZE', 'DOMSTRING_SIZE', 'HIERARCHY_REQUEST', 'WRONG_DOCUMENT', 'INVALID_CHARACTER', 'NO_DATA_ALLOWED',
    'NO_MODIFICATION_ALLOWED', 'NOT_FOUND', 'NOT_SUPPORTED', 'INUSE_ATTRIBUTE', 'INVALID_STATE', 'SYNTAX',
    'INVALID_MODIFICATION', 'NAMESPACE', 'INVALID_ACCESS', 'VALIDATION', 'TYPE_MISMATCH', 'SECURITY', 'NETWORK', 'ABORT',
    'URL_MISMATCH', 'QUOTA_EXCEEDED', 'TIMEOUT', 'INVALID_NODE_TYPE', 'DATA_CLONE',
  ];
  const codes = {
    __proto__: null,
    IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
    NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11,
    SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17,
    SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23,
    InvalidNodeTypeError: 24, DataCloneError: 25,
  };

  // A real error, so that it has a stack and crosses the boundary as one.
  class DOMException extends Error {
    #name;
    #message;

    // structuredClone, once there are exceptions, asks for the copy of each.
    static {
      native.exceptionCopy = (value) => {
        if (!(#name in value)) return undefined;
        const copy = new DOMException(value.#message, value.#name);
        Reflect.defineProperty(copy, 'stack', {
          __proto__: null, value: value.stack, writable: true, configurable: true, enumerable: false,
        });
        return copy;
      };
    }

    constructor(message = '', options = 'Error') {
      message = text(message);
      super();
      this.#message = message;
      if (typeof options === 'object' && options !== null) {
        const { name = 'Error' } = options;
        this.#name = text(name);
        if ('cause' in options) {
          Reflect.defineProperty(this, 'cause', {
            __proto__: null, value: options.cause, writable: true, configurable: true, enumerable: false,
          });
        }
      } else {
        this.#name = text(options);
      }
    }

    get name() { return this.#name; }
    get message() { return this.#message; }
    get code() { return codes[this.#name] ?? 0; }
  }
  native.platform(DOMException, 'DOMException');
  for (let i = 0; i < constants.length; i++) {
    const constant = { __proto__: null, value: i + 1, enumerable: true };
    Reflect.defineProperty(DOMException, `${constants[i]}_ERR`, constant);
    Reflect.defineProperty(DOMException.prototype, `${constants[i]}_ERR`, constant);
  }
  return { DOMException };
});
