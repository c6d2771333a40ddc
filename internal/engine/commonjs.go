package engine

import (
	"fmt"
	"slices"
	"strings"
)

// commonJS reports whether a granted file is a CommonJS module: it says so by its name, or it sets exports and has no statement
// that only an ES module may have.
func commonJS(text, ext string) bool {
	if ext == ".cjs" {
		return true
	}
	if ext == ".mjs" || !strings.Contains(text, "module.exports") && !strings.Contains(text, "exports.") {
		return false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		if strings.HasPrefix(line, "export ") || strings.HasPrefix(line, "export{") || strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "import{") {
			return false
		}
	}
	return true
}

// fromCommonJS makes an ES module of a CommonJS one: what it leaves in module.exports is the default export, and the names that
// it visibly sets are exports too. It can require nothing: a granted CommonJS file is a bundle.
func fromCommonJS(text string) string {
	var b strings.Builder
	b.WriteString("const $module={exports:{}};(function(exports,module,require){")
	b.WriteString(text)
	b.WriteString("\n}).call($module.exports,$module.exports,$module,(name)=>{throw new Error(`cannot require '${name}': grant a bundle`)});\n")
	b.WriteString("const $exports=$module.exports;\nexport default $exports?.__esModule&&'default' in $exports?$exports.default:$exports;\n")
	for i, export := range exportNames(text) {
		fmt.Fprintf(&b, "const $%d=$exports?.%s;export{$%d as %s};\n", i, export, i, export)
	}
	return b.String()
}

// exportNames finds the names in `exports.name =` and in the list that bundlers leave for this purpose,
// `module.exports = { a, b }`.
func exportNames(text string) []string {
	var names []string
	add := func(name string) {
		if identifier(name) && name != "default" && name != "__esModule" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for rest := text; ; {
		at := strings.Index(rest, "exports")
		if at < 0 {
			return names
		}
		rest = rest[at+len("exports"):]
		if property, ok := strings.CutPrefix(rest, "."); ok {
			end := strings.IndexFunc(property, func(c rune) bool { return !identifier("_" + string(c)) })
			if end > 0 && assigns(property[end:]) {
				add(property[:end])
			}
		} else if after := strings.TrimLeft(rest, " \t\n"); assigns(after) {
			list, ok := strings.CutPrefix(strings.TrimLeft(after[1:], " \t\n"), "{")
			end := strings.IndexByte(list, '}')
			if !ok || end < 0 {
				continue
			}
			for name := range strings.SplitSeq(list[:end], ",") {
				name, _, _ = strings.Cut(name, ":")
				add(strings.TrimSpace(name))
			}
		}
	}
}

func assigns(s string) bool {
	s = strings.TrimLeft(s, " \t")
	return strings.HasPrefix(s, "=") && !strings.HasPrefix(s, "==") && !strings.HasPrefix(s, "=>")
}
