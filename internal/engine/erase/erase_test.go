package erase

import (
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"pgregory.net/rapid"
)

// print is the source as esbuild understands and prints it.
func print(t *rapid.T, source string, loader api.Loader) (string, bool) {
	r := api.Transform(source, api.TransformOptions{
		Loader: loader, Target: api.ESNext, LegalComments: api.LegalCommentsNone,
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true}}`,
	})
	return string(r.Code), len(r.Errors) == 0
}

// tidy takes out what an erased declaration leaves, and line ends that the printer
// keeps.
func tidy(printed string) string {
	return strings.Join(strings.Fields(nothing.ReplaceAllString(printed, "")), "")
}

var nothing = regexp.MustCompile(`(?m)^\s*(;|export \{\s*\};)\n`)

// agree holds an erased source to the complete transform: what both accept must be
// the same program, with every line and column where it was.
func agree(fail func(string, ...any), source string) bool {
	got, ok := Types(source)
	if !ok {
		return false
	}
	if len(got) != len(source) || strings.Count(got, "\n") != strings.Count(source, "\n") {
		fail("%q moved:\n%q", source, got)
	}
	end := ""
	if Module(source) {
		end = "\nexport {}" // a module, also for the transform when its imports and exports were of types
	}
	ours, accepted := print(nil, got+end, api.LoaderJS)
	if !accepted {
		return false // the engine refuses it too, and the complete transform has its turn
	}
	theirs, valid := print(nil, source+end, api.LoaderTS)
	if !valid {
		fail("no TypeScript, and accepted:\n%s\nas\n%s", source, got)
	}
	if tidy(ours) != tidy(theirs) {
		fail("%s\nbecame\n%s\nprinted\n%s\nnot\n%s", source, got, ours, theirs)
	}
	return true
}

func TestPlainTypesAreErased(t *testing.T) {
	for _, source := range []string{
		"const n: number = 41; n + 1",
		"let a: string | undefined, b = 1",
		"let x: Array<Map<string, number[]>> = []",
		"var f: (a: number, b?: string) => void = () => {}",
		"const { a, b }: { a: number, b: string } = v",
		"const [a]: [number, ...string[]] = v;",
		"function f(a: string, b?: number, ...c: unknown[]): Promise<void> { }",
		"async function* f<T extends object, U = T>(a: T = {} as T): AsyncGenerator<U> { yield a as unknown as U }",
		"export default async function (dir: string) { return dir }",
		"export default async (dir: string): Promise<string> => dir",
		"const f = async (x: Row): Promise<string> => x.n",
		"const f = (x: unknown): x is string => typeof x === 'string'",
		"rows.map((r: Row) => r.n).filter((x): boolean => x > 1)",
		"try { f() } catch (e: any) { g(e) }",
		"interface Row { name: string; n: number }\nconst r: Row = x",
		"export interface Row extends A, B<string> { type: 'x' }\nexport const r = 1",
		"type X<T> =\n  | { a: T }\n  | null\nf()",
		"export type X = keyof typeof y;\nexport default 1",
		"const rows = JSON.parse(await readText('/x')) as Row[]",
		"f(x as string, y satisfies Y, [] as const)",
		"x!.y![0]!.z; f(x!)",
		"const m = new Map<string, number>(); f<T>(x); a.b<c, d>`x`",
		"for (const x of xs as string[]) { f(x) }",
		"import { a as b } from 'realm:capabilities'; const c: number = b",
		"import type { A, B as C } from 'realm:capabilities'\nconst c: A = 1",
		"import type A from 'x';\nimport type * as B from \"y\"; f()",
		"import type {} from''\n(f())",
		"const s = `a${x as string}b${(y: number) => `${y!.z}`}`",
		"const re: RegExp = /[/:]x: y/g, n = 4 / 2 / (1 + 1) / a[0]",
		"const big: bigint = 10n, h = 0xff",
		"const x: typeof import_ = 1;let y: unknown\n;[1].map((n: number) => n)",
		"const o = { a: x as T, type: 'y', as: 1, interface: 2 };let t: T",
		"const f = function (this_: number): void {}",
	} {
		if !agree(t.Errorf, source) {
			got, ok := Types(source)
			t.Errorf("%s\nis declined (%v):\n%s", source, ok, got)
		}
	}
}

func TestOtherSourcesAreDeclined(t *testing.T) {
	for _, source := range []string{
		"1 + 1", // nothing to erase
		"enum E { A }",
		"if (a < b && c > (d)) { const n: number = 1 }",
		"interface A { b: C }\nexport default A",
		"class A { x: number }",
		"const x: T = a ? (b) : c => d; switch (x) { case (a): b => c }",
		"const x: string string = 1",
		"let x: = 1",
		"let x: A extends B ? C : D",
		"import type A = require('a')",
		"import type A, { B } from 'a'",
		"import type { A } from 'a' with { type: 'json' }",
		"import\ntype A from 'a'",
		"import type A from 'a'; export default A",
		"import type { A as B } from 'a'; export default (B)",
		"{ import type A from 'a' }",
		"const x: { é: string } = y",
		"x as T\n(y)",
		"function f() { return type X = 1; }",
		"function* f() { yield interface X { } }",
		"let type X = 1",
		"x as T\n[y]",
		"'use strict'; const x: T = 1",
		"const x: T = 1; \\u0061",
		"const x: T = a } / b",
		"function f(a: string): void\nfunction f(a: any) {}",
		"const x: T = '",
		strings.Repeat("a<", 1000) + "b",
		"let x: " + strings.Repeat("(", 1000) + strings.Repeat(")", 1000),
	} {
		if got, ok := Types(source); ok {
			t.Errorf("%.100s\nbecame\n%.100s", source, got)
		}
	}
}

// Statements, expressions and types to be put into each other: E, T, P and N stand
// for another. They are those most easily taken for something else.
var (
	statements = []string{
		"const N: T = E;\n", "let N: T\n", "let N\n", "var { N }: T = E\n", "const [N] = E;", "E;\n", "E\n", "(E)\n", "[E]\n", "`N`\n", "N: E\n",
		"function N(P): T { return E }\n", "function N<T>(P) { S }", "async function N(P) { await E }", "export default E;\n", "export default (P): T => E\n",
		"export default (N)\n", "for await (N of E) S", "return\n{ N } as T\n", "/E/N\n", "async function N(P) { S S S }", "function* N(P) { S S }", "do S while (E)\n",
		"if (E) S", "if (N) as (E)\n", "for (const N of E) S", "for (const N: T of E) { }", "while (E) S", "try { S } catch (N: T) { S }", "{ S }\n", "return E\n",
		"interface N { N: T }\n", "type N = T\n", "type N<N> = T;", "export type N = T\n", "export interface N extends N<T> { }", "import { N as N } from 'x'\n", "import type { N as N } from 'x'\n", "import type N from 'x'\n",
		"type = E\n", "as = E\n", "switch (E) { case E: S }", "class N { N: T; N(P): T { S } }\n", "enum N { N }\n",
	}
	expressions = []string{
		"N", "1", "f('s')", "this", "(E)", "[E, E]", "{ N: E }", "({ N: E, N })", "E.N", "E?.N", "E[E]", "N(E)", "E(E, E)", "new N<T>(E)", "N<T>(E)", "N<N, N>(E)",
		"E as T", "E satisfies T", "[] as const", "E!", "E!.N", "!E", "E ? E : E", "E ? (N) : N => E", "E ? N = (N) : N => E", "E ? (P): T => E : E",
		"(P) => E", "(P): T => E", "async (P): T => E", "async <T>(P) => E", "N => E", "(P): T => { S }", "function (P): T { S }",
		"E < E", "E > E", "E < E > (E)", "E && E", "E || E", "E ?? E", "E + E", "E - E", "E = E", "E / E", "/N/", "/[/]N: T/g", "`N${E}N`", "`${E as T}`", "N`N`", "N<T>`N`",
		"E<T>", "new N<T>", "E<T>\n", "new N<T>\n", "E!\n", "E < E >\n", "N.delete / E", "N.with(E) / E", "!/N/", "E\n", "!E / E",
		"typeof E", "await E", "yield", "x++ / E", "E in E", "E instanceof N", "/* N: T */ E", "E // N\n", "{ N(P): T { S } }", "<T>E",
	}
	types = []string{
		"N", "string", "T[]", "T[T]", "T | T", "T & T", "(T)", "(P) => T", "{ N: T }", "{ N?: T; N(P): T }", "[T, T]", "N<T>", "N<T, N<T>>", "N.N", "keyof T", "typeof N", "'s'", "1", "-1",
		"\n | T\n | T", "null", "void", "N is T", "T extends T ? T : T", "readonly T[]", "new () => T", "<N>(P) => T", "`N`", "import('x').N", "unique symbol",
	}
	parameters = []string{"", "N", "N: T", "N?: T", "N: T = E", "N = E", "{ N }: T", "[N]: T", "...N: T[]", "N: T, N?: T", "this: T", "N, N"}
	names      = []string{"a", "b", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c", "as", "type", "of", "async", "get", "let", "is", "interface", "declare"}
)

// draw fills one of the templates.
func draw(t *rapid.T, depth int, templates []string) string {
	if depth == 0 {
		return rapid.SampledFrom(names).Draw(t, "name")
	}
	var out strings.Builder
	word := rapid.SampledFrom(templates).Draw(t, "template")
	for i := range len(word) {
		alone := (i == 0 || !letter(word[i-1])) && (i+1 == len(word) || !letter(word[i+1]))
		next := map[byte][]string{'S': statements, 'E': expressions, 'T': types, 'P': parameters}[word[i]]
		switch {
		case word[i] == 'N' && alone:
			out.WriteString(draw(t, 0, nil))
		case next != nil && alone:
			out.WriteString(draw(t, depth-1, next))
		default:
			out.WriteByte(word[i])
		}
	}
	return out.String()
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func TestErasedSourcesMeanTheSame(t *testing.T) {
	all, erased := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		var source string
		for range rapid.IntRange(1, 3).Draw(r, "statements") {
			source += draw(r, 4, statements)
		}
		all++
		if agree(r.Fatalf, source) {
			erased++
		}
	})
	t.Logf("%d of %d sources were erased and accepted", erased, all)
}

func FuzzTypes(f *testing.F) {
	for _, s := range []string{"const n: number = 41; n + 1", "f<T>(x as T, (y: U): V => y!)", "interface A { b: C }\ntype D = A | null\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) { agree(t.Fatalf, source) })
}
