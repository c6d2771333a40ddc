// Runs once before each program of a guest, with the module's bytes as `binary`, and defines what programs call.
const { instance } = await WebAssembly.instantiate(binary);
const { memory, reserve, distance } = instance.exports;

globalThis.editDistance = (a, b) => {
  const units = a.length + b.length;
  if (reserve(units * 2 + 4 + (b.length + 1) * 4) < 0) throw new RangeError("the texts are too long");
  const text = new Uint16Array(memory.buffer, 0, units); // made anew: growing detaches the old one
  for (let i = 0; i < a.length; i++) text[i] = a.charCodeAt(i);
  for (let i = 0; i < b.length; i++) text[a.length + i] = b.charCodeAt(i);
  return distance(a.length, b.length);
};
