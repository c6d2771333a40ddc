//go:build v8go_upstream

package engine

// lacks names what V8 10.9 cannot do, with the message that its attempt gives.
var lacks = map[string]string{
	"using":             "Object not disposable", // no Symbol.dispose
	"JSON by attribute": "Unexpected token 'with'",
}
