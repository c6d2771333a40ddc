package erase

import (
	"fmt"
	"testing"
)

// Names that stand for no value, with what only a value may have behind it, and values that look much like them.
func TestCastsBelongToValues(t *testing.T) {
	for _, source := range named {
		agree(t.Errorf, source)
		agree(t.Errorf, fmt.Sprintf("async function* f() { const x: T = 1\n%s\n}", source))
	}
	for _, source := range []string{"let { a: b as c } = d", "let a as b", "const [a!] = b", "({ f(a as T) {} })", "x = { a! }", "import { a! } from 'x'", "a: for (;;) break a!"} {
		if got, ok := Types(source); ok {
			t.Errorf("%s\nbecame\n%s", source, got)
		}
	}
	for _, source := range []string{
		"const { a = b!, [c as T]: d } = e as U, [f] = [g!];", "f({ a: b!, c: d as T, ...e! })", "x.map((y) => { return y as T })", "function f(a = b as T) { return a! }",
		"const m = new Map<string, { n: number; s: string[] }>(), n = x as T;", "if (a!) { f(b as T) }", "({ f() { return a! } })",
	} {
		if _, ok := Types(source); !ok {
			t.Errorf("declined: %s", source)
		}
	}
}

var named = []string{
	"let { a: b as c } = d", "const { a as b } = c", "const { a! } = b", "const [a!] = b", "const [a as T] = b", "const [, ...a as T] = b", "const { ...a! } = b", "var { a: [b!] } = c",
	"let { a: b!, c } = d", "let { a: b satisfies T } = c", "let a as b", "let a as b;", "let a as b, c", "let a!;", "let a!, b", "let a = 1, b as c", "let a = 1, b!", "let a = 1, { b: c as d } = e", "let a = 1,\n{ b: c! } = e", "let a: T = 1, [b as c] = d",
	"for (const { a: b as c } of d) {}", "for (const [a!] of d) {}", "for (const a as T of b) {}", "for (let a! in b) {}", "for (let a!;;) {}", "for (let a as T;;) {}", "for (let i = 0, a as T;;) {}", "for (let i = 0, { a! } = b;;) {}",
	"function f({ a: b as c }) {}", "function f([a!]) {}", "function f(a as T) {}", "function f(a!) {}", "function f(...a!) {}", "function f(a = b!) {}", "({ f(a as T) {} })", "({ f(a!) {} })", "({ f({ a! }) {} })", "({ set x(a!) {} })", "({ async f(a!) {} })", "({ *f(a as T) {} })", "({ [f](a as T) {} })", "({ 'f'(a!) {} })", "({ 1(a!) {} })",
	"({ a! }) => a", "({ a: b as c }) => a", "([a as b]) => a", "(a!) => a", "async ({ a! }) => a", "async (a as b) => a", "x = ({ a! }) => a", "x = ({ a: b as c } = d) => a", "a! => a", "async a! => a",
	"try {} catch ({ a! }) {}", "try {} catch ({ a: b as c }) {}", "try {} catch ([a!]) {}", "try {} catch (a!) {}", "try {} catch (a as b) {}",
	"a as b: for (;;) {}", "a!: for (;;) {}", "a: for (;;) break a!", "a: for (;;) { break a!; }", "a: for (;;) { continue a as b; }", "a: for (;;) continue a as b",
	"import { a! } from 'x'", "import { a as b! } from 'x'", "import { a as b as c } from 'x'", "import * as a! from 'x'", "import a as b from 'x'", "import a, { b! } from 'x'", "import a! from 'x'", "import {}  from 'x' as T", "import 'x'!", "import 'x' as T; f()", "export { a! }", "export { a as b! }", "export { a satisfies b }", "import { a satisfies b } from 'x'", "export * as a! from 'x'", "export { a } from 'x' as T; f()", "export * from 'x' as T",
	"({ x! })", "({ x as T })", "({ x satisfies T })", "({ x!, y: 1 as T })", "({ x as T: 1 })", "({ x!: 1 })", "({ 'x' as T: 1 })", "({ 1 as T: 1 })", "({ [x] as T: 1 })", "({ [x]!: 1 })", "({ x!() {} })", "({ get x!() {} })", "({ [x]!() {} })", "({ async x!() {} })", "({ f<T[]>(a) {} })", "({ f<T | U>(a) {} })", "({ f<a.b>(c) {} })", "({ f<T>(a) {} , g: 1 as U})", "({ get f<T>() {} })", "({ set f<T>(a) {} })", "({ f<T>(a as U) {} })", "({ ...x! })", "({ ...x as T })", "({ ...x!, y })", "({ [x!]: 1 })", "({ [x as T]: 1 })", "({ x = 1 as T } = y)", "({ x: y! } = z)", "({ x! } = z)", "({ x: y as T } = z)", "[x!, y as T] = z", "[...x!] = y", "[...x as T] = y", "({ ...x! } = y)", "({ ...x as T } = y)",
	"function f!() {}", "function f<T[]>() {}", "function f<T.U>() {}", "x = function f!() {}", "f<T> = 1", "let f<T> = 1", "let f<T>()", "let f<T>(x) = 1", "for (x! of y) {}", "for (x as T of y) {}", "for ([x!] of y) {}", "for ({ x! } of y) {}", "for ({ x: y! } of z) {}", "for (const x of y!) {}", "for (x!.y of z) {}", "for (f<T>().x of y) {}",
	"if (a) b as c: d", "new a!", "new a!()", "new a as T", "new a!.b", "new.target!", "import.meta!", "import!('x')", "import<T>('x')", "super!()", "super<T>()", "debugger!", "return!", "a?.b!()", "a?.b! = 1", "a! = 1", "a!++", "++a!", "++a as T", "delete a! ", "a?.!b", "a.b! ? c : d", "a! ?? b", "(a, b)!", "(a)!;", "f()!;", "x = {}!", "x = []!", "`a`!;", "'a'!;", "1!;", "/a/!;", "a!!;", "a !\n;", "a = b as T = c", "a as T = b", "a += b as T", "a as T += b", "(a as T) += b", "(a as T)++", "a as T++", "typeof a!;", "await a!;", "void a as T;", "-a as T", "-a! as T", "a ** b as T", "-a as T ** b", "a as T ** b",
	"class A extends b! {}", "class A { a! }", "class A { a!: T }", "enum A { a! }", "x = y as", "x = y as;", "x as T: y", "x ? y as T : z", "x ? y : z as T", "x ? { a as T: 1 } : 2", "x ? { a! } : 2", "x ? { a as T } : 2", "f({ a! })", "f({ a as T })", "f({ a as T, b })", "x = { a as T }", "x = { a! }", "x = { a, b! }", "return { a! }", "x => ({ a! })", "[{ a! }]", "[{ a as T }]", "{ a! }", "{ a as T }", "{ a as T; b! }", "if (x) { a! }", "x => { a! }", "() => { a as T }", "do { a! } while (b)", "try { a! } finally { b as T }", "for (;;) { a! }", "function f() { a! }", "({ f() { a! } })", "({ f() { a as T } })", "({ get a() { b! } })", "label: { a! }", "x; { a! }", "x\n{ a! }", "else_: { a as T }",
	"export default { a! }", "export default { a as T }", "export default a as T", "export default a!", "throw { a! }", "throw { a as T }", "yield { a! }", "await { a! }", "x && { a! }", "x ?? { a as T }", "!{ a! }", "typeof { a! }", "x + { a! }", "`${{ a! }}`", "`${{ a as T }}`", "new A({ a! })", "x?.({ a! })", "x = y => { a! }", "x = async () => { a! }", "x = function () { a! }", "switch (x) { default: { a! } }",
	"let a = b as T, c = d!", "let a = b!, [c] = d as T", "const { [a!]: b } = c as T", "const { [a as T]: b } = c", "const { a = b! } = c", "const { a = b as T, c: { d = e! } } = f", "const [a = b!, c = d as T] = e", "const { a: b = c!, d } = e", "function f({ a = b! }: T, [c = d as U] = e) {}", "({ a = b! }) => c", "(a = { b: c! }) => d", "(a = [b!]) => c", "({ a: b = c as T }) => d", "let { a: b.c as d } = e", "({ f(a = b!) {} })", "({ f(a = b as T) {} })", "({ f(a: T = b!) {} }); x as T",
	"let a\n{ b! }", "let a = 1\n{ b! }", "let a = 1\n[b!]", "let a = b\n, { c! } = d", "let a = (1, { b: c! })", "let a = [1, { b: c! }]", "let a = f(1, { b: c! }), d", "let a = 1; x, { b: c! }", "let a = 1\nx, [b!]", "let a = x ? y : z, [b!] = c", "let a = x ? { b: c! } : z", "let a = function () { return 1 }, { b! } = c", "let a = () => 1, { b! } = c", "let a = () => {}, { b! } = c",
	"let { a } = b as T, { c } = d", "for (const [a, b] of c as T) f(a!)", "const { a, b } = await f()!\ng()", "let {a}: T = b!, [c]: U = d!",
	"async function f({ a! }) {}", "async function* f([a as T]) {}", "export default function ({ a! }) {}", "export function f({ a: b as c }) {}", "x = function ({ a! }) {}", "x = async function ({ a! }) {}", "f(function ({ a! }) {})", "f(({ a! }) => 1)", "f(async ({ a! }) => 1)", "f(({ a! }): T => 1)", "x = ({ a! }: T) => 1", "x = ({ a }: T, { b! }) => 1",
	"using a as b = c", "using a! = b", "await using a! = b", "for (using a! of b) {}", "let a?: T", "let a? = 1", "const a!: T = 1", "let a!: T", "let [a]!: T", "let { a }!: T = b", "let [a!]: T = b", "var a as T", "const a as T = 1", "x: let a as T", "if (x) var a as T", "export let a as T", "export const { a! } = b", "export const a as T = 1", "export var a!",
	"0%{}type A=0", "f() type A = B", "(f) interface A {}", "x = {} type A = B", "if (x) {} type A = B\nf()", "function f() {} type A = B\nf()", "() => {} type A = B", "x = function () {} type A = B", "x = { f() {} } type A = B", "do {} type A = B\nwhile (x)", "x.else {} type A = B", "interface A {0A}\n0", "interface A {0: b, 1: c}\n0", "interface A {00: b}\n0", "let a: 0b1 = 1", "let a: 00 = 1", "let a: 08 | 1_0",
	"get!;", "a = get!", "static!", "let!", "of!;", "async!;", "await!", "as!;", "type!;", "x.as!;", "undefined!;", "null!;", "this!;", "true!;", "arguments!;",
}
