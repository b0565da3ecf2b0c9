// Ingest: consents stored per second by one API process, against a bare Nest + Express route (design §7).
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { ratioRow, rowOf } from './support/report.mjs';
import { startService } from './support/service.mjs';

const CONNECTIONS = 64;
/** Many short rounds rather than few long ones: what else the machine does meets both sides alike. */
const ROUNDS = 9;
const SECONDS = 2;
const WARM_UP_SECONDS = 3;
/** Nobody listens there: no worker runs, so nothing is sent. */
const UNUSED_URL = 'https://127.0.0.1:9/unused';

export const title = 'Ingest, one API process: stored and committed, answered 201';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const [load, bare, service] = await Promise.all([
    startHelper(scope, 'load'),
    startHelper(scope, 'bare-route'),
    startService(scope, database),
  ]);
  const { baseUrl: bareUrl } = await bare.call('listen');
  const [storing] = await database.makeProjects(1);
  const [forwarding] = await database.makeProjects(1, UNUSED_URL);
  const measured = {
    bare: { baseUrl: bareUrl, projectId: storing.id },
    stored: { baseUrl: service.baseUrl, projectId: storing.id },
    forwarded: { baseUrl: service.baseUrl, projectId: forwarding.id },
  };

  /** @type {Record<keyof typeof measured, { perSecond: number, p50Ms: number, p99Ms: number }[]>} */
  const rounds = { bare: [], stored: [], forwarded: [] };
  const names = /** @type {(keyof typeof measured)[]} */ (Object.keys(measured));
  for (const name of names) {
    await load.call('closedLoop', { ...measured[name], connections: CONNECTIONS, seconds: WARM_UP_SECONDS });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      rounds[name].push(
        await load.call('closedLoop', { ...measured[name], connections: CONNECTIONS, seconds: SECONDS }),
      );
    }
    await database.emptyOutbox();
  }

  const rates = (/** @type {keyof typeof measured} */ name) => rounds[name].map(({ perSecond }) => perSecond);
  const p99 = (/** @type {keyof typeof measured} */ name) => rounds[name].map(({ p99Ms }) => p99Ms);
  return {
    database: await database.facts(),
    rows: [
      rowOf('bare Nest + Express route, requests/s', rates('bare')),
      rowOf('service, forwarding off, records/s', rates('stored')),
      rowOf('service, forwarding on, records/s', rates('forwarded')),
      ratioRow('ratio, forwarding off', rates('stored'), rates('bare'), '0.4 now, 0.65 in the end'),
      ratioRow('ratio, forwarding on', rates('forwarded'), rates('bare'), '0.4 now, 0.65 in the end'),
      rowOf(`p99 of ${CONNECTIONS} callers, bare`, p99('bare'), { unit: ' ms' }),
      rowOf(`p99 of ${CONNECTIONS} callers, forwarding off`, p99('stored'), { unit: ' ms' }),
      rowOf(`p99 of ${CONNECTIONS} callers, forwarding on`, p99('forwarded'), { unit: ' ms' }),
    ],
    raw: { connections: CONNECTIONS, seconds: SECONDS, rounds },
  };
}
