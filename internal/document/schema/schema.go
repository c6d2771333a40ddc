// Package schema writes JSON Schemas of the documents that package document reads, from the same Go types: names from
// json tags, bounds from document.Bounded, descriptions from the comments of the fields.
//
// # Trust
//
// It runs when the schemas are generated, on the project's own sources. Nothing that serves a guest or a caller
// imports it.
//
// # Concurrency
//
// A Generator is for one goroutine.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"

	"realm.internal/supervisor/internal/document"
)

// Object is one JSON Schema.
type Object map[string]any

// Generator makes schemas.
type Generator struct {
	comments  map[string]string // "Type.Field" to its comment
	overrides map[string]Object // "Type.key" to what replaces or adds to its schema
	defs      map[string]any
}

// New reads the comments of the Go packages in dirs. Overrides are merged into the schema of a "Type.key".
func New(overrides map[string]Object, dirs ...string) (*Generator, error) {
	g := &Generator{comments: map[string]string{}, overrides: overrides}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return nil, fmt.Errorf("read comments: %w", err)
			}
			ast.Inspect(file, g.collect)
		}
	}
	return g, nil
}

// collect keeps the comments of struct fields.
func (g *Generator) collect(n ast.Node) bool {
	spec, ok := n.(*ast.TypeSpec)
	if !ok {
		return true
	}
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return true
	}
	for _, field := range structure.Fields.List {
		text := field.Doc.Text() + field.Comment.Text()
		for _, name := range field.Names {
			g.comments[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
		}
	}
	return true
}

// Document writes the schema of v's type, which is a struct.
func (g *Generator) Document(id, title string, v any) ([]byte, error) {
	g.defs = map[string]any{}
	root := g.structure(reflect.TypeOf(v))
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = id
	root["title"] = title
	if len(g.defs) > 0 {
		root["$defs"] = g.defs
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(root)
	return out.Bytes(), err
}

func (g *Generator) structure(t reflect.Type) Object {
	properties, required := Object{}, []string{}
	bounded, _ := reflect.Zero(t).Interface().(document.Bounded)
	for i := range t.NumField() {
		field := t.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		schema := g.value(field.Type)
		if bounded != nil {
			if maximum, _, ok := bounded.Bound(key); ok {
				schema["minimum"], schema["maximum"] = 1, maximum
			}
		}
		if text := g.comments[t.Name()+"."+field.Name]; text != "" {
			schema["description"] = text
		}
		for name, replacement := range g.overrides[t.Name()+"."+key] {
			schema[name] = replacement
		}
		properties[key] = schema
		if options == "" {
			required = append(required, key)
		}
	}
	s := Object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func (g *Generator) value(t reflect.Type) Object {
	switch t.Kind() {
	case reflect.Pointer:
		return g.value(t.Elem())
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Int64:
		return Object{"type": "integer"}
	case reflect.Uint32:
		return Object{"type": "integer", "minimum": 0, "maximum": uint32(1<<32 - 1)}
	case reflect.Slice:
		return Object{"type": "array", "items": g.value(t.Elem())}
	case reflect.Map:
		return Object{"type": "object", "additionalProperties": g.value(t.Elem())}
	case reflect.Struct:
		return g.reference(t)
	}
	panic("schema: no rule for " + t.String())
}

// reference puts a struct among the definitions.
func (g *Generator) reference(t reflect.Type) Object {
	name := t.Name()
	if _, ok := g.defs[name]; !ok {
		g.defs[name] = Object{} // stops at a type that holds itself
		s := g.structure(t)
		if _, ok := reflect.New(t).Interface().(document.TextSetter); ok {
			s = Object{"anyOf": []any{Object{"type": "string"}, s}}
		}
		g.defs[name] = s
	}
	return Object{"$ref": "#/$defs/" + name}
}
