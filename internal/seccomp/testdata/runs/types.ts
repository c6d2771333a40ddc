type T = { a: number }
console.log('x')
export default { a: 1 } as T
