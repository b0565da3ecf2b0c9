// Runs benchmarks by name, or all that have a number to reach: `npm run bench`, `npm run bench -- ingest`. Every one
// starts the real service with its own PostgreSQL and receivers, compares within one run, and leaves nothing
// behind.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackages } from '../scripts/install-packages.mjs';
import { machineFacts, printTable, publish } from './support/report.mjs';
import { Scope } from './support/scope.mjs';

/** What `npm run bench` runs: one after another they show all of the numbers to reach. */
const NAMES = [
  'ingest',
  'peers',
  'dispatch',
  'queues',
  'claim',
  'latency',
  'tail',
  'isolation',
  'fairness',
  'tier',
  'start',
  'export',
];
/** What takes longer, or has no number to reach: run by name. */
const BY_NAME = [
  'hostile',
  'webhook',
  'many',
  'growth',
  'cost',
  'soak',
  'outage',
  'enumeration',
  'sign-ins',
  'visitors',
  'evidence',
  'sequencing',
  'lists',
  'visits',
  'banner',
];
/** Of the log of PostgreSQL, when something went wrong. */
const LOG_CHARACTERS_SHOWN = 3_000;
/** A benchmark that takes longer has gone wrong, unless it says itself (`deadlineMs`) how long it may take. */
const DEADLINE_MS = 150_000;

/** @type {Scope | null} */
let current = null;

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await current?.close();
    process.exit(1);
  });
}

// What a benchmark has started must be ended, whatever was not waited for.
process.on('unhandledRejection', async (error) => {
  console.error(error);
  await current?.close();
  process.exit(1);
});

const { positionals: wanted, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    /** How long the soak lasts, or the outage. */
    minutes: { type: 'string' },
    /** A part of the growth benchmark: ingest, partitions, projects, waiting, passes. */
    part: { type: 'string', multiple: true },
    /** Part of the full counts, to try a long benchmark quickly: 0.01 is a hundredth. */
    scale: { type: 'string', default: '1' },
  },
});
const unknown = wanted.filter((name) => !NAMES.includes(name) && !BY_NAME.includes(name));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(', ')}; there are ${[...NAMES, ...BY_NAME].join(', ')}.`,
  );
  process.exit(2);
}
installPackages(import.meta.dirname);
/** @type {import('./support/report.mjs').Row[]} */
const rows = [];
let failed = false;
const startedMs = performance.now();
const names = wanted.length > 0 ? wanted : NAMES;
for (const name of names) {
  failed = !(await runOne(name)) || failed;
}
if (names.length > 1) {
  console.log(
    `\nAll numbers to reach, after ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`,
  );
  printTable(rows.filter(({ met }) => met !== null));
}
process.exit(failed ? 1 : 0);

/** @param {string} name */
async function runOne(name) {
  const { run, title, deadlineMs } = await import(`./${name}.mjs`);
  const allowedMs = typeof deadlineMs === 'function' ? deadlineMs(options) : (deadlineMs ?? DEADLINE_MS);
  const machine = machineFacts();
  const beganMs = performance.now();
  current = new Scope();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${allowedMs / 1000} s`)), allowedMs);
  });
  try {
    const report = await Promise.race([run(current, options), late]);
    publish({ name, title, ...report }, machine);
    rows.push(...report.rows);
    return true;
  } catch (error) {
    console.error(`\n${name}: ${error instanceof Error ? error.stack : error}`);
    console.error(endOfServerLog(current.folder));
    return false;
  } finally {
    clearTimeout(timer);
    await current.close();
    console.log(`  took ${((performance.now() - beganMs) / 1000).toFixed(0)} s`);
  }
}

/** What PostgreSQL said last: its folder is gone afterwards. @param {string} folder */
function endOfServerLog(folder) {
  const file = join(folder, 'postgres', 'server.log');
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-LOG_CHARACTERS_SHOWN) : '';
}
