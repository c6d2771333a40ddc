package erase

import "testing"

func TestModulesImportOrExportSomething(t *testing.T) {
	for source, want := range map[string]bool{
		"import type { A } from 'a'; 1":        true,
		"enum E { A }\nexport type B = 1":      true,
		"import 'a'":                           true,
		"await import('a')":                    false,
		"import.meta.url":                      false,
		"x.import; x?.export; ({ export: 1 })": false,
		"'import type A'; // export\n`export`": false,
		"export type A = '":                    false, // not sure of it
	} {
		if got := Module(source); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}
