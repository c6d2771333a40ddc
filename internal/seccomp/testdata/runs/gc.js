let kept = []
for (let i = 0; i < 60; i++) {
  kept.push(new Array(1e5).fill({ i }))
  if (kept.length > 10) kept = []
}
let text = ''
for (let i = 0; i < 1e6; i++) text += i
for (let i = 0; i < 20; i++) new Uint8Array(4e6).fill(i)
text.length
