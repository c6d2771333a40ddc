await claim('parameters parse from text, pairs, records and other parameters', () => {
  const rows = [
    ['a=b&c=d', 'a=b&c=d'], ['?a=b', 'a=b'], ['??a=b', '%3Fa=b'], ['&&a&=&b=', 'a=&=&b='], ['a=b=c', 'a=b%3Dc'], ['a+b=c%20d', 'a+b=c+d'],
    ['%', '%25='], ['%zz=%4', '%25zz=%254'], ['a=%ff', 'a=%EF%BF%BD'], ['a=%e2%82%ac', 'a=%E2%82%AC'], ['a=%EF%BB%BFx', 'a=%EF%BB%BFx'], ["!'()~*-._=", '%21%27%28%29%7E*-._='],
    ['a=\ud800', 'a=%EF%BF%BD'], ['', ''], ['a=\0', 'a=%00'], ['%61=%C3%A9%ff', 'a=%C3%A9%EF%BF%BD'],
  ];
  for (const [input, want] of rows) equal(`${new URLSearchParams(input)}`, want, JSON.stringify(input));
  equal(`${new URLSearchParams([['a', 1], new Set(['b', 'c'])])}`, 'a=1&b=c');
  equal(`${new URLSearchParams({ a: 1, b: [1, 2], c: null })}`, 'a=1&b=1%2C2&c=null');
  equal(`${new URLSearchParams(new URLSearchParams('x=1&x=2'))}`, 'x=1&x=2');
  equal(`${new URLSearchParams(new Map([['m', 'n']]))}`, 'm=n');
  equal([`${new URLSearchParams()}`, `${new URLSearchParams(undefined)}`, `${new URLSearchParams(null)}`], ['', '', 'null=']);
  equal(`${new URLSearchParams({ '\ud800': 'a', '\ufffd': 'b' })}`, '%EF%BF%BD=b');
  for (const bad of [[['a']], [['a', 'b', 'c']], [5], { [Symbol.iterator]: 5 }, [null]]) throws('TypeError', () => new URLSearchParams(bad));
  throws('TypeError', () => new URLSearchParams({ [Symbol()]: 1 }));
});

await claim('parameters change as the platform says', () => {
  const params = new URLSearchParams('b=2&a=1&b=3&c=');
  equal([params.get('b'), params.getAll('b'), params.get('x'), params.has('c'), params.has('b', '3'), params.has('b', '4'), params.size], ['2', ['2', '3'], null, true, true, false, 4]);
  params.set('b', 'x');
  params.append('a', '');
  equal(`${params}`, 'b=x&a=1&c=&a=');
  params.sort();
  equal(`${params}`, 'a=1&a=&b=x&c=');
  params.delete('a', '1');
  params.delete('c', undefined);
  params.set('new', 5);
  equal(`${params}`, 'a=&b=x&new=5');
  const order = new URLSearchParams('\ufb03=1&\u{1f308}=2&a=3&a=1');
  order.sort();
  equal([...order.keys()].map((key) => key.codePointAt(0)), [97, 97, 0x1f308, 0xfb03]);
  for (const [method, args] of [['get', []], ['getAll', []], ['has', []], ['delete', []], ['append', ['a']], ['set', ['a']], ['forEach', []]]) throws('TypeError', () => params[method](...args));
});

await claim('parameters iterate live', () => {
  const params = new URLSearchParams('a=1&b=2&c=3');
  const seen = [];
  for (const [name] of params) {
    seen.push(name);
    if (name === 'a') params.delete('a');
  }
  equal(seen, ['a', 'c']);
  equal([[...params.entries()], [...params.values()], [...params.keys()]], [[['b', '2'], ['c', '3']], ['2', '3'], ['b', 'c']]);
  params.forEach(function (value, name, self) { seen.push(`${name}${value}${self === params}${this.x}`); }, { x: 1 });
  equal(seen.slice(2), ['b2true1', 'c3true1']);
  const iterator = params.keys();
  equal([`${iterator}`, iterator[Symbol.iterator]() === iterator, typeof iterator.map], ['[object URLSearchParams Iterator]', true, typeof Iterator === 'function' ? 'function' : 'undefined']);
  throws('TypeError', () => iterator.next.call({}));
});

await claim('a URL and its parameters are linked, both ways', () => {
  const url = new URL('http://host/p?a=1#h');
  const { searchParams } = url;
  equal(searchParams === url.searchParams, true);
  searchParams.append('b', "it's");
  equal(url.href, 'http://host/p?a=1&b=it%27s#h');
  url.search = '?x=%41&y';
  equal([...searchParams], [['x', 'A'], ['y', '']]);
  equal(url.search, '?x=%41&y');
  searchParams.delete('x');
  searchParams.delete('y');
  equal([url.search, url.href], ['', 'http://host/p#h']);
  url.href = 'https://other/?z=1';
  equal([searchParams.get('z'), url.searchParams === searchParams], ['1', true]);
  url.hash = 'q?';
  equal(searchParams.size, 1);
});

await claim('setters ignore what is invalid and normalise the rest', () => {
  const url = new URL('https://user:pw@example.com:8080/a?b#c');
  url.port = '443';
  url.protocol = 'http';
  url.hostname = 'ex ample';
  url.host = 'EXAMPLE.org:81';
  url.pathname = '/x y/../z';
  url.username = 'a:b';
  equal(url.href, 'http://a%3Ab:pw@example.org:81/z?b#c');
  url.protocol = 'mailto:';
  url.port = 'x';
  equal([url.protocol, url.port, url.origin], ['http:', '81', 'http://example.org:81']);
  throws('TypeError', () => { url.href = 'nope'; });
  url.origin = 'https://evil';
  equal(url.origin, 'http://example.org:81');
});

await claim('bad URLs are a TypeError that shows them', () => {
  equal(throws('TypeError', () => new URL('/a')).message, "Invalid URL: '/a'");
  equal(throws('TypeError', () => new URL('/a', 'b')).message, "Invalid URL: '/a' with base 'b'");
  throws('TypeError', () => new URL());
  throws('TypeError', () => URL('http://x'));
  equal([URL.canParse('/a'), URL.canParse('/a', 'http://b'), URL.canParse('x:'), URL.canParse('http://[::1')], [false, true, true, false]);
  equal([URL.parse('/a'), URL.parse('/a', 'http://b').href], [null, 'http://b/a']);
  equal([`${new URL(new URL('http://a/b'))}`, JSON.stringify({ url: new URL('http://a') }), new URL('c', { toString: () => 'http://a/b' }).href], ['http://a/b', '{"url":"http://a/"}', 'http://a/c']);
});

await claim('lone surrogates, NUL and IDNA cross as the platform says', () => {
  equal(new URL('http://h/\ud800?\udc00#\0x').href, 'http://h/%EF%BF%BD?%EF%BF%BD#%00x');
  equal(new URL('http://m\u00fcnchen.example/\u00e9').href, 'http://xn--mnchen-3ya.example/%C3%A9');
  equal(new URL('http://0x7f.1/').hostname, '127.0.0.1');
  equal(new URL('HTTP://EXAMPLE.com:80/./a/%2e%2e/b').href, 'http://example.com/b');
});

await claim('wrong receivers are refused', () => {
  throws('TypeError', () => Object.getOwnPropertyDescriptor(URL.prototype, 'href').get.call({}));
  throws('TypeError', () => URLSearchParams.prototype.get.call(new Map(), 'a'));
  throws('TypeError', () => URLSearchParams.prototype.toString.call({}));
  throws('TypeError', () => URLSearchParams.prototype.entries.call({}));
});
