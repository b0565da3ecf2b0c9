// A hundred wrong sign-ins at once, each from a different network: their effect on session requests and on files of /cdn.
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { startDatabase } from './support/database.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';

const ROUNDS = 3;
const FLOOD = 100;
const PASSWORD = 'correct horse battery';
/** Requests go out at a fixed rate; each time counts from the instant at which a request was due. */
const EVERY_MS = 50;
/** Without a flood so long; with one until it is over. */
const QUIET_MS = 3_000;

export const deadlineMs = 300_000;
export const title = 'A hundred wrong sign-ins at once: sessions and files meanwhile';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const { baseUrl } = await startService(scope, database, { environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  let networks = 0;
  const signIn = (/** @type {string} */ email, /** @type {string} */ password) => {
    networks += 1;
    return fetch(`${baseUrl}/v1/auth/sign-in/email`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `198.18.${networks >> 8}.${networks & 255}`,
      },
      body: JSON.stringify({ email, password }),
    });
  };
  const [email = ''] = await database.makeUsers(1, PASSWORD);
  const cookie = (await signIn(email, PASSWORD)).headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const requests = {
    session: () => fetch(`${baseUrl}/v1/me`, { headers: { cookie } }),
    file: () => fetch(`${baseUrl}/cdn/${v7()}/config.json`),
  };

  /** @type {Record<'off' | 'on', (Record<keyof typeof requests, number[]> & { failed: number })[]>} */
  const took = { off: [], on: [] };
  /** @type {{ seconds: number, statuses: Record<string, number> }[]} */
  const floods = [];
  for (let round = 0; round < ROUNDS; round++) {
    took.off.push(await measure(requests, sleep(QUIET_MS)));
    const startedMs = performance.now();
    /** @type {Record<string, number>} */
    const statuses = {};
    const flood = Array.from({ length: FLOOD }, async (_, guest) => {
      const { status } = await signIn(`${round}-${guest}@flood.example.com`, 'a wrong password');
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
    took.on.push(await measure(requests, Promise.all(flood)));
    floods.push({ seconds: (performance.now() - startedMs) / 1000, statuses });
  }
  const of = (
    /** @type {'off' | 'on'} */ when,
    /** @type {keyof typeof requests} */ kind,
    /** @type {number} */ percent,
  ) => took[when].map((round) => percentile(round[kind], percent));
  return {
    database: await database.facts(),
    rows: [
      .../** @type {const} */ (['session', 'file']).flatMap((kind) =>
        [50, 100].map((percent) =>
          row({
            what: `${kind}, ${percent === 100 ? 'slowest' : 'p50'}, flood on : off`,
            ours: of('on', kind, percent),
            baseline: of('off', kind, percent),
            digits: 1,
            unit: ' ms',
          }),
        ),
      ),
      row({
        what: `slowest session request while ${FLOOD} sign-ins are answered`,
        ours: of('on', 'session', 100),
        target: { atMost: 1_000 },
        unit: ' ms',
      }),
      row({
        what: 'requests that failed meanwhile',
        ours: took.on.map(({ failed }) => failed),
        target: { atMost: 0 },
      }),
      row({
        what: `all ${FLOOD} sign-ins answered`,
        ours: floods.map(({ seconds }) => seconds),
        digits: 1,
        unit: ' s',
      }),
    ],
    raw: { took, floods },
  };
}

/**
 * Sends each kind of request at the rate until `end`; 503 counts as failed.
 * @template {string} Kind
 * @param {Record<Kind, () => Promise<Response>>} requests
 * @param {Promise<unknown>} end
 * @returns {Promise<Record<Kind, number[]> & { failed: number }>}
 */
async function measure(requests, end) {
  const over = new AbortController();
  const ending = end.then(() => over.abort());
  const kinds = /** @type {Kind[]} */ (Object.keys(requests));
  const took = /** @type {Record<Kind, number[]>} */ (Object.fromEntries(kinds.map((kind) => [kind, []])));
  let failed = 0;
  /** @type {Promise<void>[]} */
  const open = [];
  const startedMs = performance.now();
  for (let turn = 0; !over.signal.aborted; turn++) {
    const dueMs = startedMs + turn * EVERY_MS;
    await sleep(Math.max(0, dueMs - performance.now()));
    for (const kind of kinds) {
      open.push(
        requests[kind]().then(async (response) => {
          await response.arrayBuffer();
          took[kind].push(performance.now() - dueMs);
          if (response.status >= 500) failed += 1;
        }),
      );
    }
  }
  await Promise.all([...open, ending]);
  return { ...took, failed };
}
