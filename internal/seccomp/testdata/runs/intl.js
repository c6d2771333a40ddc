const texts = [
  new Intl.NumberFormat('de').format(1234.5),
  new Date(0).toLocaleString('fr', { timeZone: 'Europe/Paris' }),
  'ä'.localeCompare('b'),
  'x'.normalize('NFD'),
  /(\p{L}+)\s\1/u.test('ab ab'),
]
texts.join()
