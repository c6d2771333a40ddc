package cli

import (
	_ "embed" // the declarations
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"realm.internal/supervisor/pkg/grants"
)

var (
	//go:embed types/capabilities.d.ts
	capabilityTypes string
	//go:embed types/globals.d.ts
	globalTypes string
	//go:embed types/wasm.d.ts
	wasmTypes string
	//go:embed types/prompt.txt
	promptText string
)

func (a *app) typesCommand() *cobra.Command {
	var file string
	var prompt bool
	cmd := &cobra.Command{
		Use:   "types",
		Short: "Print TypeScript declarations of what a guest sees",
		Long: `Prints TypeScript declarations of everything that a guest sees beside the
language itself (lib es2024, no dom). With --grants, names of variables, secrets
and tools are those of the document. With --prompt, prints a short text instead
that tells a model how to write a guest.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var g *grants.Grants
			if file != "" {
				loaded, err := a.loadGrants(file)
				if err != nil {
					return err
				}
				g = &loaded
			}
			if prompt {
				a.out.write(promptFor(g))
			} else {
				a.out.write(declarations(g))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "grants", "", "grants document, YAML or JSON")
	cmd.Flags().BoolVar(&prompt, "prompt", false, "print a text for a model instead")
	return cmd
}

// declarations are what a guest sees under g, or under grants unknown when nil.
func declarations(g *grants.Grants) string {
	var b strings.Builder
	if g == nil {
		b.WriteString("type EnvironmentName = string;\ntype SecretName = string;\ntype ToolName = string;\n")
	} else {
		fmt.Fprintf(&b, "type EnvironmentName = %s;\n", union(keys(g.Environment)))
		fmt.Fprintf(&b, "type SecretName = %s;\n", union(readableSecrets(*g)))
		fmt.Fprintf(&b, "type ToolName = %s;\n", union(g.Tools.Allowed))
	}
	b.WriteString("\n" + capabilityTypes + "\n" + globalTypes)
	if g == nil || g.Engine.JIT == nil || *g.Engine.JIT {
		b.WriteString("\n" + wasmTypes)
	}
	if g == nil {
		return b.String()
	}
	b.WriteString("\n")
	ours := b.String()
	for _, name := range g.Tools.Allowed {
		if identifier(name) && !taken(name, ours) {
			fmt.Fprintf(&b, "declare function %s(params?: unknown): Promise<any>;\n", name)
		}
	}
	for _, name := range keys(g.Modules) {
		fmt.Fprintf(&b, "declare module %s;\n", strconv.Quote(name))
	}
	for _, m := range g.Wasm {
		fmt.Fprintf(&b, "// The binding of the WebAssembly module %s may define further globals.\n", strconv.Quote(m.Name))
	}
	return b.String()
}

// union is the type of the given strings.
func union(names []string) string {
	if len(names) == 0 {
		return "never"
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, " | ")
}

// identifier reports whether a tool of this name can be declared as a function;
// names beyond ASCII are reached through request.
func identifier(name string) bool {
	for i, r := range name {
		letter := r == '_' || r == '$' || 'a' <= r|0x20 && r|0x20 <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != "" && !reserved(name)
}

func reserved(name string) bool {
	const words = " await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield "
	return strings.Contains(words, " "+name+" ")
}

// taken reports whether a global of the language or of ours has the name, so that a tool is none: it is asked by request alone. The
// realm looks at its own globals for the same.
func taken(name, declarations string) bool {
	if strings.Contains(" "+languageGlobals+" ", " "+name+" ") {
		return true
	}
	for _, kind := range []string{"const ", "function ", "class ", "namespace "} {
		_, rest, found := strings.Cut(declarations, "declare "+kind+name)
		if found && strings.IndexByte(":(< ", rest[0]) >= 0 {
			return true
		}
	}
	return false
}

// languageGlobals are the names that the global object has from the language, its prototype's among them, in one of the engines.
const languageGlobals = "AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date " +
	"DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array " +
	"Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String " +
	"SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet " +
	"__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor decodeURI decodeURIComponent encodeURI " +
	"encodeURIComponent escape eval globalThis hasOwnProperty isFinite isNaN isPrototypeOf parseFloat parseInt propertyIsEnumerable " +
	"toLocaleString toString undefined unescape valueOf"

// promptFor tells a model how to write a guest.
func promptFor(g *grants.Grants) string {
	granted := "Only what the host granted is permitted; everything else rejects.\n"
	if g != nil {
		granted = "The program:\n- " + strings.Join(describe(*g), "\n- ") + "\n"
	}
	return strings.Replace(promptText, "GRANTED\n", granted, 1)
}
