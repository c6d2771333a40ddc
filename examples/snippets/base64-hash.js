// Encodes text as base64url, decodes it, and computes a checksum of its bytes.
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

const toBase64Url = (text) =>
  btoa(String.fromCharCode(...encoder.encode(text))).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const fromBase64Url = (code) =>
  decoder.decode(Uint8Array.from(atob(code.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0)));

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (~crc >>> 0).toString(16).padStart(8, '0');
}

const claims = { sub: 'user-1', name: 'Zoë 👋', iat: 1700000000 };
const token = [{ alg: 'none' }, claims].map((part) => toBase64Url(JSON.stringify(part))).join('.');
const back = JSON.parse(fromBase64Url(token.split('.')[1]));

let invalid;
try {
  decoder.decode(new Uint8Array([0xff, 0xfe]));
} catch (error) {
  invalid = error.name;
}
({ token, same: JSON.stringify(back) === JSON.stringify(claims), crc: crc32(encoder.encode('123456789')), bytes: encoder.encode('Zoë'), invalid });
