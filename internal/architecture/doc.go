// Package architecture holds the rules about which package may know which: the
// trust boundary is the list of imports of each binary. It has tests only.
package architecture
