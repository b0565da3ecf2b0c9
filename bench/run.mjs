// Runs benchmarks by name, or all of them: `npm run bench`, `npm run bench:ingest`. Every one starts the real
// service, a PostgreSQL and receivers of its own, compares within its own run, and leaves nothing behind.
import { machineFacts, publish } from './support/report.mjs';
import { Scope } from './support/scope.mjs';

const NAMES = ['ingest', 'dispatch', 'latency', 'isolation', 'fairness', 'export'];
/** A benchmark that takes longer has gone wrong. */
const DEADLINE_MS = 150_000;

/** @type {Scope | null} */
let current = null;

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await current?.close();
    process.exit(1);
  });
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${NAMES.join(', ')}.`);
  process.exit(2);
}
let failed = false;
for (const name of wanted.length > 0 ? wanted : NAMES) {
  failed = !(await runOne(name)) || failed;
}
process.exit(failed ? 1 : 0);

/** @param {string} name */
async function runOne(name) {
  const { run, title } = await import(`./${name}.mjs`);
  const machine = machineFacts();
  const startedMs = performance.now();
  current = new Scope();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${DEADLINE_MS / 1000} s`)), DEADLINE_MS);
  });
  try {
    publish({ name, title, ...(await Promise.race([run(current), late])) }, machine);
    return true;
  } catch (error) {
    console.error(`\n${name}: ${error instanceof Error ? error.stack : error}`);
    return false;
  } finally {
    clearTimeout(timer);
    await current.close();
    console.log(`  took ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  }
}
