'use strict';
(function (native, { needs, dictionary }) {
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
      return native.structuredClone(value, list, fail);
    },
  };
});
