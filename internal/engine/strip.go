package engine

import (
	"encoding/json"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// stripped is JavaScript made of TypeScript, with the mappings of its source map.
type stripped struct {
	js, mappings string
}

// syntaxError is a refusal of esbuild. Line and column are 1-based.
type syntaxError struct {
	message      string
	line, column int
	// awaitAndReturn: the source returns and awaits at its top level, which only a function body may.
	awaitAndReturn bool
}

// tsconfig drops names that are imported and not used as values, which may be types of what exports them, and keeps the imports
// themselves: the user wrote them, so they are resolved, and refused.
const tsconfig = `{"compilerOptions":{"importsNotUsedAsValues":"preserve"}}`

// strip removes types from one file. Nothing is resolved.
func strip(name, text string) (stripped, *syntaxError) {
	if strings.Contains(text, "sourceMappingURL") {
		text += "\n//# sourceMappingURL=none" // the last one counts: positions are those of this text
	}
	result := api.Transform(text, api.TransformOptions{
		Loader:         api.LoaderTS,
		Sourcefile:     name,
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		Target:         api.ESNext,
		Supported:      map[string]bool{"decorators": false, "using": false},
		Charset:        api.CharsetUTF8,
		LegalComments:  api.LegalCommentsNone,
		TsconfigRaw:    tsconfig,
	})
	if len(result.Errors) > 0 {
		e := result.Errors[0]
		s := &syntaxError{message: e.Text, awaitAndReturn: strings.HasPrefix(e.Text, "Top-level return cannot be used")}
		if e.Location != nil {
			s.line = e.Location.Line
			s.column = 1 + utf16Length(e.Location.LineText[:min(e.Location.Column, len(e.Location.LineText))])
		}
		return stripped{}, s
	}
	var sourceMap struct{ Mappings string }
	_ = json.Unmarshal(result.Map, &sourceMap) // without a map positions are those of the output
	return stripped{string(result.Code), sourceMap.Mappings}, nil
}
