// Whether the time of an answer tells if an address has an account: sign-in, sign-up and a forgotten password, for
// addresses with and without one, in turns.
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { startDatabase } from './support/database.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { median } from './support/statistics.mjs';

const ROUNDS = 5;
/** Requests of each kind in a round; each address is asked once, so that no limit is met. */
const PAIRS_PER_ROUND = 30;
/** What a worker does after an answer is done by the next request. */
const REST_MS = 15;
const PASSWORD = 'correct horse battery';

/** @type {Record<string, { path: string, status: number, fields: object }>} */
const ROUTES = {
  'sign-in, wrong password': { path: 'sign-in/email', status: 401, fields: { password: 'a wrong password' } },
  'sign-up': { path: 'sign-up/email', status: 202, fields: { password: PASSWORD } },
  'forgotten password': { path: 'forgot-password', status: 202, fields: {} },
};

export const deadlineMs = 400_000;
export const title = 'Enumeration: the time of answers to addresses with an account, against those without';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const environment = { TRUSTED_PROXIES: '127.0.0.1', RUN_WORKER: 'true', SIGN_UP: 'open' };
  const api = await startService(scope, database, { environment });
  let network = 0;
  const ask = async (/** @type {keyof typeof ROUTES} */ name, /** @type {string} */ email) => {
    const { path, status, fields } = ROUTES[name] ?? { path: '', status: 0, fields: {} };
    network += 1;
    const startedMs = performance.now();
    const response = await fetch(`${api.baseUrl}/v1/auth/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `198.18.${network >> 8}.${network & 255}`,
      },
      body: JSON.stringify({ email, ...fields }),
    });
    const body = await response.text();
    const tookMs = performance.now() - startedMs;
    if (response.status !== status) throw new Error(`${path} answered ${response.status}: ${body}`);
    await sleep(REST_MS);
    return { tookMs, body };
  };

  const rows = [];
  /** @type {Record<string, { known: number[], unknown: number[] }[]>} */
  const raw = {};
  for (const name of Object.keys(ROUTES)) {
    const rounds = [];
    const bodies = new Set();
    // Not counted: the first requests of a process are slow.
    await ask(name, `${v7()}@example.com`);
    for (let round = 0; round < ROUNDS; round++) {
      const emails = await database.makeUsers(PAIRS_PER_ROUND, PASSWORD);
      /** @type {{ known: number[], unknown: number[] }} */
      const took = { known: [], unknown: [] };
      for (const [index, email] of emails.entries()) {
        const turns = /** @type {const} */ ([
          ['known', email],
          ['unknown', `${v7()}@example.com`],
        ]);
        for (const [kind, address] of index % 2 === 0 ? turns : turns.toReversed()) {
          const { tookMs, body } = await ask(name, address);
          took[kind].push(tookMs);
          bodies.add(body);
        }
      }
      rounds.push(took);
    }
    raw[name] = rounds;
    rows.push(
      row({
        what: `${name}: median`,
        ours: rounds.map(({ known }) => median(known)),
        baseline: rounds.map(({ unknown }) => median(unknown)),
        target: { ratioAtLeast: 0.95, ratioAtMost: 1.05 },
        digits: 2,
        unit: ' ms',
      }),
      row({ what: `${name}: different bodies`, ours: [bodies.size], target: { atMost: 1 } }),
    );
  }
  return { database: await database.facts(), rows, raw };
}
