// Normalises URLs, edits their queries and groups them by host.
const links = [
  'HTTP://Example.COM:80/a/../b?utm_source=x&q=1#top',
  'https://example.com/b?q=2&q=3&utm_medium=mail',
  '//cdn.example.net/lib.js',
  'not a url',
  'https://user:pw@münchen.example/straße?x=ä',
];

const clean = (link) => {
  const url = new URL(link, 'https://base.example/');
  for (const key of [...url.searchParams.keys()]) if (key.startsWith('utm_')) url.searchParams.delete(key);
  url.username = url.password = '';
  url.hash = '';
  url.searchParams.sort();
  return url;
};

const urls = links.filter((link) => URL.canParse(link, 'https://base.example/')).map(clean);
const hosts = Object.groupBy(urls, ({ hostname }) => hostname);
return {
  urls: urls.map(String),
  hosts: Object.fromEntries(Object.entries(hosts).map(([host, list]) => [host, list.length])),
  built: new URLSearchParams({ q: 'a b&c', page: 2 }).toString(),
};
