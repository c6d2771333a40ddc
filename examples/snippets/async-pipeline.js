// Fetches pages from a slow source with limited concurrency, retries and a time limit.
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let running = 0;
let peak = 0;
const attempts = new Map();
async function fetchPage(page) {
  attempts.set(page, (attempts.get(page) ?? 0) + 1);
  peak = Math.max(peak, ++running);
  try {
    await sleep(5 - page);
    if (page === 2 && attempts.get(page) < 3) throw new Error(`page ${page} is busy`);
    return { page, items: [page * 10, page * 10 + 1] };
  } finally {
    running--;
  }
}

async function retry(times, work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === times) throw error;
      await sleep(1);
    }
  }
}

async function pool(limit, jobs) {
  const results = [];
  const queue = jobs.entries();
  const worker = async () => {
    for (const [index, job] of queue) results[index] = await job();
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}

const pages = await pool(2, [0, 1, 2, 3, 4].map((page) => () => retry(3, () => fetchPage(page))));
const late = await Promise.race([sleep(1000).then(() => 'slow'), sleep(1).then(() => 'fast')]);

({ items: pages.flatMap(({ items }) => items), peak, tries: attempts.get(2), late });
