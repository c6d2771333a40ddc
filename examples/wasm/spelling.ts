// Finds the word that was meant, with a global that the binding of a granted WebAssembly module defines.
//
//   supervisor run --grants <(examples/wasm/grants.sh) examples/wasm/spelling.ts
declare const editDistance: (a: string, b: string) => number;

const dictionary = ["receive", "separate", "definitely", "naive", "necessary"];

export default function spelling(...given: string[]) {
  const words = given.length > 0 ? given : ["recieve", "seperate", "naïve"];
  return words.map((word) => {
    const ranked = dictionary.map((best) => ({ word, best, distance: editDistance(word, best) }));
    return ranked.reduce((a, b) => (b.distance < a.distance ? b : a));
  });
}
