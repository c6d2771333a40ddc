//go:build !v8go_upstream

package engine

// lacks names what this engine cannot do, with the message that its attempt gives.
var lacks = map[string]string{}
