// Deep comparison of two configurations, with paths, and a deep clone that stays independent.
const before = { name: 'app', ports: [80, 443], limits: { cpu: 2, memory: '1Gi' }, created: new Date(0), tags: new Set(['a']) };
const after = structuredClone(before);
after.ports.push(8080);
after.limits.memory = '2Gi';
delete after.limits.cpu;
after.limits.disk = null;
after.tags.add('b');

const isObject = (value) => typeof value === 'object' && value !== null;
function* diff(a, b, path = '$') {
  if (Object.is(a, b)) return;
  if (a instanceof Set && b instanceof Set) {
    for (const added of b.difference(a)) yield { path, op: 'add', value: added };
    for (const removed of a.difference(b)) yield { path, op: 'remove', value: removed };
    return;
  }
  if (a instanceof Date && b instanceof Date && +a === +b) return;
  if (!isObject(a) || !isObject(b)) return yield { path, op: 'replace', value: b };
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const next = Array.isArray(a) ? `${path}[${key}]` : `${path}.${key}`;
    if (!(key in a)) yield { path: next, op: 'add', value: b[key] };
    else if (!(key in b)) yield { path: next, op: 'remove' };
    else yield* diff(a[key], b[key], next);
  }
}

[...diff(before, after)]
