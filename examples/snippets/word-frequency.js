// Counts words of a text with Unicode-aware splitting, and sorts ties by name.
const text = `The quick brown fox jumps over the lazy dog. The dog, naïve as ever, didn't react;
the fox – the clever fox! – smiled. Über-dogs don't exist… or do they?`;

const words = text.toLowerCase().match(/[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu) ?? [];
const counts = words.reduce((map, word) => map.set(word, (map.get(word) || 0) + 1), new Map());
const top = [...counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).slice(0, 4);

console.log('%d words, %d distinct', words.length, counts.size);
({ total: words.length, top: Object.fromEntries(top), hyphenated: words.filter((word) => word.includes('-')), accented: words.filter((word) => word !== word.normalize('NFD')) });
