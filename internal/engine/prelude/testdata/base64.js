await claim('atob follows the forgiving decoder', () => {
  const rows = {
    '': '', abcd: 'i\xb7\x1d', ' abcd': 'i\xb7\x1d', 'abcd\n': 'i\xb7\x1d', 'ab\tcd': 'i\xb7\x1d', ab: 'i', abc: 'i\xb7', 'ab==': 'i', 'abc=': 'i\xb7', 'ab =\f=': 'i', YQ: 'a', '////': '\xff\xff\xff', '++++': '\xfb\xef\xbe', 'A A A A': '\0\0\0',
    YR: 'a',
  };
  for (const [input, want] of Object.entries(rows)) equal(atob(input), want, JSON.stringify(input));
  for (const bad of ['a', 'abcde', '=', '==', '===', '====', 'a=', 'a==', 'ab=', 'abc==', 'abcd=', 'abcd==', 'a=bc', 'ab=c', '=abc', 'ab==cd', 'ab\u000bcd', 'ab\u00a0cd', 'a-cd', 'a_cd', '\u0101bcd', 'ab\0d']) {
    const error = throws('InvalidCharacterError', () => atob(bad));
    equal([error.code, error instanceof DOMException], [5, true], JSON.stringify(bad));
  }
  equal([atob(null), atob(12)], ['\x9e\xe9e', '\xd7']);
  throws('TypeError', () => atob());
});

await claim('btoa takes Latin1 and nothing beyond it', () => {
  equal([btoa(''), btoa('a'), btoa('ab'), btoa('abc'), btoa('\xff\xfe'), btoa(null), btoa(undefined), btoa(1)], ['', 'YQ==', 'YWI=', 'YWJj', '//4=', 'bnVsbA==', 'dW5kZWZpbmVk', 'MQ==']);
  for (const bad of ['\u0100', 'a\u20ac', '\u{1f44b}']) throws('InvalidCharacterError', () => btoa(bad));
  throws('TypeError', () => btoa());
});

await claim('every byte survives the way there and back', () => {
  let text = '';
  for (let i = 0; i < 70000; i++) text += String.fromCharCode(i * 7 & 255);
  for (const length of [0, 1, 2, 3, 255, 256, 8191, 8192, 8193, 70000]) equal(atob(btoa(text.slice(0, length))) === text.slice(0, length), true, `${length}:`);
});
