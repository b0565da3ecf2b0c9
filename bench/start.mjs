// Start: how long `npm start` takes until the service is ready, the first time and again (design §7).
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { row } from './support/report.mjs';
import { scaledRounds } from './support/scale.mjs';
import { startStandalone } from './support/standalone.mjs';

const ROUNDS = scaledRounds(5);
const ROOT = join(import.meta.dirname, '..');

export const deadlineMs = 240_000;
export const title = 'Start: `npm start` in standalone mode, until ready';

/**
 * The first start of a checkout builds it, makes the database and the demo; a second finds all of it. The
 * checkout is a copy without `dist` and data, with the modules that are installed.
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const checkout = join(scope.folder, 'checkout');
  for (const name of filesOfCheckout()) cpSync(join(ROOT, name), join(checkout, name));
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  /** @type {Record<'first' | 'second', number[]>} */
  const seconds = { first: [], second: [] };
  for (let round = 0; round < ROUNDS; round++) {
    seconds.first.push(await startOnce(scope, checkout));
    seconds.second.push(await startOnce(scope, checkout));
    for (const name of ['dist', '.data']) rmSync(join(checkout, name), { recursive: true, force: true });
  }
  const time = { digits: 1, unit: ' s' };
  return {
    database: {},
    rows: [
      row({
        what: 'first start: build, database, demo',
        ours: seconds.first,
        target: { atMost: 6 },
        ...time,
      }),
      row({ what: 'second start', ours: seconds.second, target: { atMost: 2 }, ...time }),
    ],
    raw: { seconds },
  };
}

/** The files that a clone would have, with local changes. */
function filesOfCheckout() {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)));
}

/**
 * Seconds from `npm start` until it is ready; it is stopped before this returns.
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {string} checkout
 */
async function startOnce(scope, checkout) {
  const { seconds, stop } = await startStandalone(scope, { checkout });
  await stop();
  return seconds;
}
