package engine

import (
	"strings"

	"realm.internal/supervisor/internal/v8"
)

// unhandled names what ended a run that had nothing more to wait for: its own value may be fine.
const unhandled = "nobody awaited this promise, and its rejection ended the run: await the call that it comes from, or handle it with .catch()"

// hint says what to use here instead of a global of other environments.
func hint(e v8.Error) string {
	switch name := missing(e); name {
	case "require", "module", "exports", "__dirname", "__filename":
		return "there is no CommonJS here: use `import`, which knows realm:capabilities and the modules that were granted"
	case "process":
		return "there is no process here: await environment('NAME') from realm:capabilities reads a granted variable; end by returning a value or throwing"
	case "Buffer":
		return "there is no Buffer here: use Uint8Array with TextEncoder, TextDecoder, atob and btoa"
	case "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "axios", "Request", "Response", "Headers", "FormData", "Blob", "File",
		"WebTransport", "RTCPeerConnection", "BroadcastChannel":
		return "there is no ambient network: import { fetch, fetchText } from 'realm:capabilities' and have the origin granted"
	case "fs", "path", "os", "child_process":
		return "Node's modules do not exist here: realm:capabilities has readText, readBytes, list, stat, writeText, writeBytes and spawn"
	case "window", "document", "navigator", "location", "localStorage", "sessionStorage", "alert", "confirm", "prompt", "requestAnimationFrame":
		return "there is no browser here: compute a value and return it"
	case "print":
		return "use console.log"
	case "Worker", "SharedWorker", "importScripts":
		return "there are no workers here: a program is one thread, and what it awaits runs at once"
	case "input":
		return "this run was given no input"
	case "Deno", "Bun":
		return "there is no " + name + " here: realm:capabilities has readText, writeText, fetch, environment and spawn"
	case "WebAssembly":
		return "there is no WebAssembly in the hardened tier, which engine: {jit: false} asked for"
	case "global", "self":
		return "use globalThis"
	case "setImmediate":
		return "use setTimeout(f, 0) or queueMicrotask"
	case "readText", "readBytes", "list", "stat", "writeText", "writeBytes", "appendText", "makeDirectory", "remove", "environment", "secret",
		"fetchText", "spawn", "request", "SandboxDeniedError", "SandboxOperationError", "SandboxAbortedError":
		return "import { " + name + " } from 'realm:capabilities'"
	}
	return ""
}

// missing is the global whose absence an error tells, if it is one.
func missing(e v8.Error) string {
	switch e.Name {
	case "ReferenceError":
		if name, ok := strings.CutSuffix(e.Message, " is not defined"); ok {
			return name
		}
	case "TypeError":
		name, ok := strings.CutPrefix(e.Message, "globalThis.")
		name, _, _ = strings.Cut(name, " is not a ")        // function, constructor
		if ok && name != "input" && name != "WebAssembly" { // these may be there, and be something else
			return name
		}
	}
	return ""
}
