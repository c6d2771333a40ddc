package erase

import "testing"

func TestModulesImportOrExportSomething(t *testing.T) {
	for source, want := range map[string]bool{
		"import type { A } from 'a'; 1":             true,
		"enum E { A }\nexport type B = 1":           true,
		"import 'a'":                                true,
		"await import('a')":                         false,
		"import.meta.url":                           false,
		"x.import; x?.export; ({ export: 1 })":      false,
		"'import type A'; // export\n`export`":      false,
		"export type A = '":                         false, // not sure of it
		"// it\u2019s\nimport type { A } from 'a'":  true,
		"/* \u2192 */ import type { A } from 'a'":   true,
		"// a\u2028import type { A } from 'a'":      true,
		"class B { #x = 1 }\nexport type A = 1":     true,
		"@f class B {}\nimport type { A } from 'a'": true,
		"e\u0301 = 1\nexport type A = 1":            true,
		"class B { #export = 1; @f import = 2 }":    false,
		"namespace N { }\nimport b = N.b":           false,
		"namespace N { }\nexport import b = N.b":    true,
		"import type A = N.B":                       false,
		"import type = N.B":                         false,
		"import b = require('b')":                   true,
		"import type b = require('b')":              true,
		"import 'a'\nb = 1":                         true,
		"import type from 'a'":                      true,
	} {
		if got := Module(source); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}
