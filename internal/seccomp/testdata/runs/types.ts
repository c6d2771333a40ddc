type T = { a: number }
enum E { A, B } // for esbuild, for which threads may be started
console.log(E[1])
export default { a: 1 } as T
