// Put before each file of claims; the file is the body of an async function.
const failures = [];
const tell = (value) => typeof value === 'string' ? JSON.stringify(value) : typeof value === 'bigint' ? `${value}n`
  : typeof value === 'object' && value !== null ? `${value?.constructor?.name} ${JSON.stringify(value, (_, v) => typeof v === 'bigint' ? `${v}n` : v)}` : String(value);
const same = (a, b) => Object.is(a, b) || typeof a === 'object' && typeof b === 'object' && a !== null && b !== null
  && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
const equal = (got, want, what = '') => {
  if (!same(got, want)) throw new Error(`${what} got ${tell(got)}, want ${tell(want)}`);
};
const throws = (name, run) => {
  let error;
  try {
    run();
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined) throw new Error(`nothing thrown, want ${name}`);
  equal(error.name, name, `thrown ${error}:`);
  return error;
};
const claim = async (text, run) => {
  try {
    await run();
  } catch (error) {
    failures.push(`${text}: ${error.message}\n${error.stack}`);
  }
};
