// Runs benches by name, or all that have a target: `npm run bench`, `npm run bench -- ingest dispatch`. Each starts the
// real service with its own PostgreSQL and receivers, compares within one run, and leaves nothing behind.
// `--smoke` runs the same at a hundredth of their counts, to see that they still run.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackages } from '../scripts/install-packages.mjs';
import { machineFacts, printTable, publish } from './support/report.mjs';
import { setScale } from './support/scale.mjs';
import { Scope } from './support/scope.mjs';
import { smoke } from './support/smoke.mjs';

/** What `npm run bench` runs: together they show every target that takes minutes rather than hours. */
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
  'start',
  'standalone',
  'export',
  'lists',
];
/** Benches that take longer or have no target: run by name. */
const BY_NAME = [
  'held-transaction',
  'growth',
  'cost',
  'soak',
  'outage',
  'evidence',
  'sequencing',
  'visitors',
  'visits',
  'enumeration',
  'import',
  'pipelining',
  'many',
  'banner',
  'scan',
];
/** The end of PostgreSQL's log, printed when a bench fails. */
const LOG_CHARACTERS_SHOWN = 3_000;
/** A bench that exports no `deadlineMs` fails when it takes longer. */
const DEADLINE_MS = 150_000;

/** @type {Scope | null} */
let current = null;

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await current?.close();
    process.exit(1);
  });
}

// An unexpected failure must still stop every process that the bench started.
process.on('unhandledRejection', async (error) => {
  console.error(error);
  await current?.close();
  process.exit(1);
});

const { positionals: wanted, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    /** How long benches that run for minutes last, such as `soak`. */
    minutes: { type: 'string' },
    /** A part of `growth`. */
    part: { type: 'string', multiple: true },
    /** Part of the full counts: 0.01 is a hundredth. */
    scale: { type: 'string', default: '1' },
    smoke: { type: 'boolean', default: false },
  },
});
const all = [...NAMES, ...BY_NAME];
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown bench: ${unknown.join(', ')}. Benches: ${all.join(', ')}.`);
  process.exit(2);
}
installPackages(import.meta.dirname);
if (options.smoke) {
  const chosen = wanted.length > 0 ? wanted : NAMES;
  process.exit((await smoke(chosen)).length > 0 ? 1 : 0);
}
setScale(Number(options.scale));
/** @type {(import('./support/report.mjs').Row & { bench: string })[]} */
const rows = [];
/** @type {string[]} */
const failed = [];
const startedMs = performance.now();
const names = wanted.length > 0 ? wanted : NAMES;
for (const name of names) if (!(await runOne(name))) failed.push(name);
const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
if (names.length > 1) {
  console.log(`\n${names.length} benches in ${minutes} minutes`);
  printTable(rows);
}
if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);

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
    rows.push(
      ...report.rows.map((/** @type {import('./support/report.mjs').Row} */ row) => ({
        bench: name,
        ...row,
      })),
    );
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

/** PostgreSQL's folder is deleted afterwards. @param {string} folder */
function endOfServerLog(folder) {
  const file = join(folder, 'postgres', 'server.log');
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-LOG_CHARACTERS_SHOWN) : '';
}
