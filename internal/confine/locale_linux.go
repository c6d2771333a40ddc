package confine

import "strings"

// posixLocale is the form in which ICU reads a BCP 47 tag from LC_ALL.
func posixLocale(tag string) string { return strings.ReplaceAll(tag, "-", "_") + ".UTF-8" }
