// Ingest: consents stored per second by one API process, against bare routes and bare inserts (design §7).
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const CONNECTIONS = 64;
const INSERT_CONNECTIONS = 32;
/** Many short rounds rather than few long ones: what else the machine does meets all sides alike. */
const ROUNDS = scaledRounds(7);
const SECONDS = scaledSeconds(2);
const WARM_UP_SECONDS = scaledSeconds(3);
/** Well below what either side carries: here it is the latency that counts. */
const OPEN_RATE_PER_SECOND = scaledRate(1_000);
const OPEN_ROUNDS = scaledRounds(5);
const OPEN_SECONDS = scaledSeconds(3);
/** Nothing listens there: no worker runs, so nothing is sent. */
const UNUSED_URL = 'https://127.0.0.1:9/unused';

export const title = 'Ingest, one API process: stored and committed, answered 201';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const [load, nest, http, inserts, service] = await Promise.all([
    startHelper(scope, 'load'),
    startHelper(scope, 'bare-route'),
    startHelper(scope, 'bare-http'),
    startHelper(scope, 'inserts'),
    startService(scope, database),
  ]);
  const [storing] = await database.makeProjects(1);
  const [forwarding] = await database.makeProjects(1, UNUSED_URL);
  await inserts.call('connect', { databaseUrl: database.url, connections: INSERT_CONNECTIONS });
  const measured = {
    nest: { ...(await nest.call('listen')), projectId: storing.id },
    http: { ...(await http.call('listen')), projectId: storing.id },
    stored: { baseUrl: service.baseUrl, projectId: storing.id },
    forwarded: { baseUrl: service.baseUrl, projectId: forwarding.id },
  };
  const names = /** @type {(keyof typeof measured)[]} */ (Object.keys(measured));
  const shoot = (/** @type {keyof typeof measured} */ name, /** @type {number} */ seconds) =>
    load.call('closedLoop', { ...measured[name], connections: CONNECTIONS, seconds });

  /** @type {Record<keyof typeof measured, { perSecond: number, p50Ms: number, p99Ms: number }[]>} */
  const rounds = { nest: [], http: [], stored: [], forwarded: [] };
  /** @type {number[]} */
  const inserted = [];
  for (const name of names) await shoot(name, WARM_UP_SECONDS);
  await inserts.call('insert', { projectId: storing.id, seconds: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) rounds[name].push(await shoot(name, SECONDS));
    inserted.push((await inserts.call('insert', { projectId: storing.id, seconds: SECONDS })).perSecond);
    await database.emptyOutbox();
  }
  const open = await openLoop({ load, measured, database });

  const rates = (/** @type {keyof typeof measured} */ name) => rounds[name].map(({ perSecond }) => perSecond);
  const p99 = (/** @type {keyof typeof measured} */ name) => rounds[name].map(({ p99Ms }) => p99Ms);
  const ms = { digits: 1, unit: ' ms' };
  return {
    database: await database.facts(),
    rows: [
      row({
        what: 'ingest/s, forwarding on : bare Nest + Express route',
        ours: rates('forwarded'),
        baseline: rates('nest'),
        target: { ratioAtLeast: 0.65 },
      }),
      row({
        what: 'ingest/s, forwarding off : bare Nest + Express route',
        ours: rates('stored'),
        baseline: rates('nest'),
        target: { ratioAtLeast: 0.65 },
      }),
      row({
        what: 'ingest/s, forwarding on : bare node:http route',
        ours: rates('forwarded'),
        baseline: rates('http'),
      }),
      row({
        what: `ingest/s, forwarding on : prepared inserts, one commit each, ${INSERT_CONNECTIONS} connections, no HTTP`,
        ours: rates('forwarded'),
        baseline: inserted,
      }),
      row({
        what: `p99 of ${CONNECTIONS} callers (closed loop), forwarding on : bare Nest`,
        ours: p99('forwarded'),
        baseline: p99('nest'),
        ...ms,
      }),
      .../** @type {const} */ (['p50Ms', 'p99Ms', 'p999Ms']).map((figure) =>
        row({
          what: `${figure.replace('Ms', '')} at ${OPEN_RATE_PER_SECOND}/s (open loop), forwarding on : bare Nest`,
          ours: open.ours.map((one) => one[figure]),
          baseline: open.bare.map((one) => one[figure]),
          ...ms,
        }),
      ),
    ],
    raw: { connections: CONNECTIONS, seconds: SECONDS, rounds, inserted, open },
  };
}

/**
 * The same arrivals for both sides, counted from the instant at which each should have been sent.
 * @param {{ load: import('./support/helper.mjs').Helper, database: import('./support/database.mjs').Database,
 *           measured: Record<'nest' | 'forwarded', { baseUrl: string, projectId: string }> }} parts
 */
async function openLoop({ load, measured, database }) {
  const send = async (/** @type {{ baseUrl: string, projectId: string }} */ { baseUrl, projectId }) => {
    const { sent, wrong, p50Ms, p99Ms, p999Ms, highestMs } = await load.call('openLoop', {
      baseUrl,
      projectIds: [projectId],
      ratePerSecond: OPEN_RATE_PER_SECOND,
      seconds: OPEN_SECONDS,
      warmUpSeconds: 1,
      track: false,
    });
    if (wrong > 0) throw new Error(`${wrong} consents were not answered 201`);
    return { sent, p50Ms, p99Ms, p999Ms, highestMs };
  };
  /** @type {Record<'bare' | 'ours', { p50Ms: number, p99Ms: number, p999Ms: number }[]>} */
  const rounds = { bare: [], ours: [] };
  for (let round = 0; round < OPEN_ROUNDS; round++) {
    rounds.bare.push(await send(measured.nest));
    rounds.ours.push(await send(measured.forwarded));
    await database.emptyOutbox();
  }
  return rounds;
}
