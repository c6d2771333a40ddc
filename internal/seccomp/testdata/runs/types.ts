type T = { a: number }
enum E { A, B } // for esbuild, whose work starts threads
console.log(E[1])
export default { a: 1 } as T
