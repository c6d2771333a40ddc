// Package environment hands granted variables to the guest. The supervisor's own environment is never looked at.
//
// # Trust
//
// Names reach this package only inside tickets; values are the grant's.
//
// # Concurrency
//
// No state.
package environment

import (
	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// Read gives the value of the variable that t permits. The error is a *capability.Failure.
func Read(t grants.EnvironmentRead) (string, error) {
	if !t.Valid() {
		return "", capability.NoTicket()
	}
	return t.Value(), nil
}
