// Package sources reads what grants add to a run's import map: modules and
// WebAssembly. Files are read when the run is prepared and sent with its source.
//
// # Trust
//
// Paths come from the operator. Contents are not looked at, with the exception
// of a package.json, which only chooses among the files of its own directory.
//
// # Concurrency
//
// Functions without state.
package sources
