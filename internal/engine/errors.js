() => {
  'use strict';
  const kind = (name) => {
    const Class = { [name]: class extends Error {} }[name];
    Object.defineProperty(Class.prototype, 'name', { value: name, writable: true, configurable: true });
    return Class;
  };
  const SandboxDeniedError = kind('SandboxDeniedError');
  const SandboxOperationError = kind('SandboxOperationError');
  const SandboxAbortedError = kind('SandboxAbortedError');
  return {
    SandboxDeniedError, SandboxOperationError, SandboxAbortedError,
    // The prototypes by the kind of a reply.
    denied: SandboxDeniedError.prototype,
    operation: SandboxOperationError.prototype,
    tool: SandboxOperationError.prototype,
    aborted: SandboxAbortedError.prototype,
  };
}
