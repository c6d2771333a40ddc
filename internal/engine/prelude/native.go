package prelude

// Native names the functions of the object that the engine passes to every part. All are called with exactly the types
// below; they throw only where that is said.
//
//	part(name: string) → object
//	    The answer of another part, evaluated now if it was not yet. Always a part of this package.
//
//	log(level: "log"|"info"|"warn"|"error"|"debug", message: string)
//	    Emits one console message. Counts and cuts are the engine's. Throws what an exhausted limit throws.
//
//	reportError(error: any)
//	    Reports an uncaught exception (of a timer, a microtask, an event listener): the run fails with it, unless it has
//	    failed already. Returns normally.
//
//	setTimer(id: number, ms: number)
//	    Arms a one-shot timer. ms is an integer in [0, 2^31). Timers fire in the order of (deadline, order of arming),
//	    each in a macrotask of its own with a microtask checkpoint after it, by calling the function given to onTimer.
//	clearTimer(id: number)
//	    Disarms; an unknown id has no effect.
//	onTimer(fire: (id: number) => void)
//	    Called once, before the first setTimer.
//
//	now() → number
//	    Milliseconds since the run began, monotonic, with a fraction.
//	timeOrigin() → number
//	    The wall clock at now() = 0, Unix milliseconds with a fraction.
//
//	randomFill(view: Uint8Array)
//	    Fills a view of at most 65 536 bytes with cryptographically strong random bytes.
//
//	structuredClone(value: any, transfer: any[], fail: (message: string) => any) → any
//	    V8's serializer and deserializer, in memory. transfer holds distinct values; each that is not an ArrayBuffer, or is
//	    detached, or cannot be detached, is a failure. A failure throws what fail(message) returns; an exception of a
//	    getter is thrown as it is. Transferred buffers are detached only when serialising has succeeded.
//
//	utf8Encode(text: string) → Uint8Array
//	    Lone surrogates become U+FFFD.
//	utf8Decode(bytes: Uint8Array, fatal: boolean) → string | undefined
//	    Decodes all of the view, a byte order mark included, by the WHATWG rules: each maximal subpart of an ill-formed
//	    sequence becomes one U+FFFD. With fatal, undefined when any byte is ill-formed.
//
//	urlParse(input: string, base: string | undefined) → string | undefined
//	    [ParseURL]. Lone surrogates arrive as U+FFFD, which is what the platform asks for.
//	urlSet(href: string, property: string, value: string) → string
//	    [SetURL].
//
//	promiseState(value: any) → undefined | [state: 0|1|2, result: any]
//	    For anything but a promise undefined; else pending, fulfilled or rejected, and the result. Runs no guest code.
//	proxyTarget(value: any) → any
//	    The target of a proxy (null when it is revoked), undefined for anything else. Runs no guest code.
func Native() []string {
	return []string{
		"part", "log", "reportError", "setTimer", "clearTimer", "onTimer", "now", "timeOrigin", "randomFill",
		"structuredClone", "utf8Encode", "utf8Decode", "urlParse", "urlSet", "promiseState", "proxyTarget",
	}
}
