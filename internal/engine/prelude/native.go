package prelude

// Native names the functions of the object that the engine passes to every part. All are called with exactly the types
// below; they throw only where that is said.
//
//	part(name: string) → object
//	    The answer of another part, evaluated now if it was not yet. Always a part of this package.
//
//	log(level: "log"|"info"|"warn"|"error"|"debug", message: string)
//	    Emits one console message. Counts and cuts are the engine's.
//
//	format(data: any[]) → string
//	    The text of one console call: directives (%s %d %i %f %j %o %O %c %%), strings as they are, all else as inspect
//	    shows it. Runs no guest code but toJSON (%j) and what belongs to reading an error's stack.
//	inspect(value: any) → string
//	    Bounded in depth, items and length, whatever the value is.
//	platform(Class: Function, tag: string, view?: (object) => object) → Class
//	    Makes the members of the class and its prototype enumerable, as those of the platform's interfaces are, and gives
//	    the prototype its Symbol.toStringTag. The console shows what view answers as if it were the object.
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
func Native() []string {
	return []string{
		"part", "log", "format", "inspect", "platform", "reportError", "setTimer", "clearTimer", "onTimer", "now",
		"timeOrigin", "randomFill", "structuredClone", "utf8Encode", "utf8Decode", "urlParse", "urlSet",
	}
}
