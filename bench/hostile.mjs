// All attacks at once, on and off in turns: what another tenant's visitors, dashboard and exports notice of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';

/** Records of the attacker's project, each with a different hostname and action. */
const HOSTILE_RECORDS = 600_000;
const VICTIM_RECORDS = 20_000;
const ROUNDS = 3;
const SECONDS = 10;
/** Attacks begin so long before the measuring, and so long is the rest after them. */
const LEAD_MS = 3_000;
const INGEST_PER_SECOND = 100;
const READ_EVERY_MS = 100;
const EXPORT_EVERY_MS = 2_000;
const READY_EVERY_MS = 500;
const LATE_MS = 20_000;

export const deadlineMs = 600_000;
export const title = 'All attacks at once: another tenant, with the attackers off and on';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, [hanging]] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const environment = { TRUSTED_PROXIES: '127.0.0.1', INGEST_RATE_PER_MINUTE: '600', LOG_LEVEL: 'error' };
  const api = await startService(scope, database, { receivers: [hanging], environment });
  await startService(scope, database, { program: 'worker', receivers: [hanging], environment });
  const [hostile, victim] = await database.makeProjects(2);
  await database.client.query(`update project set tier = 'business'`);
  await database.fillRecords([hostile], HOSTILE_RECORDS);
  await database.client.query(
    `update consent_record set hostname = 'h' || substr(id::text, 25), action = 'a' || substr(id::text, 25)
     where project_id = $1`,
    [hostile.id],
  );
  await database.fillRecords([victim], VICTIM_RECORDS);
  // What was just filled in is added up like visitors' records, not declared added up.
  await database.client.query(`update consent_rollup_state set done_until = now() - interval '30 days'`);
  await database.settle();
  const keys = {
    hostile: await database.makeApiKey(hostile.id),
    victim: await database.makeApiKey(victim.id),
  };
  const [email] = await database.makeUsers(1, 'correct horse battery');
  const attackers = await startHelper(scope, 'attacker');

  /** @type {Record<'off' | 'on', Awaited<ReturnType<typeof measure>>[]>} */
  const blocks = { off: [], on: [] };
  /** @type {unknown[]} */
  const answered = [];
  const target = { baseUrl: api.baseUrl, projectId: hostile.id, key: keys.hostile, email };
  await measure(api.baseUrl, victim.id, keys.victim, 3);
  for (let round = 0; round < ROUNDS; round++) {
    blocks.off.push(await measure(api.baseUrl, victim.id, keys.victim, SECONDS));
    await attackers.call('begin', { ...target, relayTarget: hanging.url('/hang') });
    await sleep(LEAD_MS);
    blocks.on.push(await measure(api.baseUrl, victim.id, keys.victim, SECONDS));
    answered.push(await attackers.call('end'));
    await sleep(LEAD_MS);
  }
  console.log(JSON.stringify(answered.at(-1), null, 1));

  const kinds = /** @type {const} */ (['ingest', 'dashboard', 'export', 'ready']);
  const of = (
    /** @type {'off' | 'on'} */ when,
    /** @type {typeof kinds[number]} */ kind,
    /** @type {number} */ percent,
  ) => blocks[when].map((block) => percentile(block[kind].ms, percent));
  const wrong = (/** @type {'off' | 'on'} */ when) =>
    blocks[when].map((block) => kinds.reduce((sum, kind) => sum + block[kind].wrong, 0));
  return {
    database: await database.facts(),
    rows: [
      ...kinds.flatMap((kind) =>
        [50, 99].map((percent) =>
          row({
            what: `${kind} of another tenant, p${percent}, attackers on : off`,
            ours: of('on', kind, percent),
            baseline: of('off', kind, percent),
            digits: 1,
            unit: ' ms',
          }),
        ),
      ),
      row({
        what: 'requests of another tenant that failed',
        ours: wrong('on'),
        target: { atMost: 0 },
      }),
    ],
    raw: { blocks, answered },
  };
}

/**
 * Asks at fixed rates, whatever the answers do; times are from when a request should have been sent.
 * @param {string} baseUrl
 * @param {string} projectId
 * @param {string} key
 * @param {number} seconds
 */
async function measure(baseUrl, projectId, key, seconds) {
  const base = `${baseUrl}/v1/projects/${projectId}`;
  const headers = { authorization: `Bearer ${key}` };
  const visitor = (/** @type {number} */ n) => `198.18.${Math.floor(n / 250) % 250}.${(n % 250) + 1}`;
  const choice = JSON.stringify({
    ...{ analytics: true, marketing: false, preferences: true, action: 'custom' },
    hostname: 'www.example.com',
  });
  const [ingest, dashboard, exports, ready] = await Promise.all([
    atRate(seconds, 1000 / INGEST_PER_SECOND, (n) =>
      fetch(`${base}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': visitor(n) },
        body: choice,
      }),
    ),
    atRate(seconds, READ_EVERY_MS, () => fetch(`${base}/consents?limit=50`, { headers })),
    atRate(seconds, EXPORT_EVERY_MS, () => fetch(`${base}/consents/export?format=csv`, { headers })),
    atRate(seconds, READY_EVERY_MS, () => fetch(`${baseUrl}/health/ready`)),
  ]);
  return { ingest, dashboard, export: exports, ready };
}

/**
 * @param {number} seconds
 * @param {number} everyMs
 * @param {(n: number) => Promise<Response>} ask
 */
async function atRate(seconds, everyMs, ask) {
  /** @type {number[]} */
  const ms = [];
  let wrong = 0;
  const startedMs = performance.now();
  const total = Math.round((seconds * 1000) / everyMs);
  const open = [];
  for (let n = 0; n < total; n++) {
    const intendedMs = startedMs + n * everyMs;
    await sleep(Math.max(0, intendedMs - performance.now()));
    open.push(
      ask(n)
        .then(async (response) => {
          await response.arrayBuffer();
          if (!response.ok) wrong += 1;
        })
        .catch(() => {
          wrong += 1;
        })
        .finally(() => ms.push(performance.now() - intendedMs)),
    );
  }
  await Promise.race([Promise.all(open), sleep(LATE_MS)]);
  return { ms, wrong: wrong + (total - ms.length) };
}
