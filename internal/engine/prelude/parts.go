package prelude

import _ "embed" // the parts' texts

// Part is one lazily evaluated piece of the guest's globals.
type Part struct {
	// Name is unique; the script is called "realm:prelude/" + Name.
	Name string
	// Source is the function expression, ASCII.
	Source string
	// Globals are the names that the engine installs on the global object, in no order that matters.
	Globals []string
}

var (
	//go:embed primordials.js
	primordialsSource string
	//go:embed console.js
	consoleSource string
	//go:embed console-more.js
	consoleMoreSource string
	//go:embed table.js
	tableSource string
	//go:embed timers.js
	timersSource string
	//go:embed clone.js
	cloneSource string
	//go:embed encoder.js
	encoderSource string
	//go:embed decoder.js
	decoderSource string
	//go:embed base64.js
	base64Source string
	//go:embed url.js
	urlSource string
	//go:embed params.js
	paramsSource string
	//go:embed clock.js
	clockSource string
	//go:embed crypto.js
	cryptoSource string
	//go:embed events.js
	eventsSource string
	//go:embed abort.js
	abortSource string
	//go:embed exception.js
	exceptionSource string
)

// Primordials is the text of the function expression, without parameters, whose answer is passed to every part.
func Primordials() string { return primordialsSource }

// Parts lists every part. Those without globals serve the others.
func Parts() []Part {
	return []Part{
		{"console", consoleSource, []string{"console"}},
		{"console-more", consoleMoreSource, nil},
		{"table", tableSource, nil},
		{"timers", timersSource, []string{"setTimeout", "setInterval", "clearTimeout", "clearInterval", "queueMicrotask"}},
		{"clone", cloneSource, []string{"structuredClone"}},
		{"encoder", encoderSource, []string{"TextEncoder"}},
		{"decoder", decoderSource, []string{"TextDecoder"}},
		{"base64", base64Source, []string{"atob", "btoa"}},
		{"url", urlSource, []string{"URL"}},
		{"params", paramsSource, []string{"URLSearchParams"}},
		{"clock", clockSource, []string{"performance"}},
		{"crypto", cryptoSource, []string{"crypto"}},
		{"events", eventsSource, []string{"Event", "EventTarget", "CustomEvent"}},
		{"abort", abortSource, []string{"AbortController", "AbortSignal"}},
		{"exception", exceptionSource, []string{"DOMException"}},
	}
}
