for (let i = 0; i < 5; i++) await new Promise(f => setTimeout(f, 3))
await Promise.all([1, 2, 3].map(i => new Promise(f => setTimeout(f, i))))
const random = crypto.getRandomValues(new Uint8Array(8))
new Date().getTime() + performance.now() > random[0]
