// Billing: signed webhook events accepted per second, and from an event's 200 to the tier that it leads to.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { v7 } from 'uuid';
import { startDatabase } from './support/database.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';

const ROUNDS = 5;
const PROJECTS = 200;
const CALLERS = 32;
const EVENTS_PER_ROUND = 1_000;
const CHANGES_PER_ROUND = 30;
const POLL_MS = 2;
const DRAIN_DEADLINE_MS = 60_000;
/** A day ago: none lies in the future, however many there are. */
let createdSeconds = Math.floor(Date.now() / 1000) - 86_400;
const SECRET = 'whsec_of_the_benchmark_and_of_nothing_else';

export const title = 'Billing: webhook events accepted, and the time until the tier is in effect';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const environment = {
    STRIPE_WEBHOOK_SECRETS: SECRET,
    STRIPE_PRICES: 'price_pro=pro:month,price_business=business:month',
  };
  const api = await startService(scope, database, { environment });
  await startService(scope, database, { program: 'worker', environment });
  const projects = await database.makeProjects(PROJECTS);
  const pool = new Pool(api.baseUrl, { connections: CALLERS + 1 });
  scope.defer(() => pool.destroy());

  const send = async (/** @type {string} */ projectId, /** @type {string} */ priceId) => {
    const payload = JSON.stringify(subscriptionEvent(projectId, priceId));
    const startedMs = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/v1/webhooks/billing',
      headers: { 'content-type': 'application/json', 'stripe-signature': signatureOf(payload) },
      body: payload,
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`the webhook answered ${statusCode}`);
    return performance.now() - startedMs;
  };

  const perSecond = [];
  const acceptedMs = [];
  const effectiveMs = [];
  for (let round = -1; round < ROUNDS; round++) {
    const startedMs = performance.now();
    let next = 0;
    /** @type {number[]} */
    const latencies = [];
    const caller = async () => {
      for (let n = next++; n < EVENTS_PER_ROUND; n = next++) {
        latencies.push(await send(projects[n % PROJECTS].id, n % 2 === 0 ? 'price_pro' : 'price_business'));
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const rate = EVENTS_PER_ROUND / ((performance.now() - startedMs) / 1000);
    await drained(database);
    /** @type {number[]} */
    const changes = [];
    for (let change = 0; change < CHANGES_PER_ROUND; change++) {
      changes.push(await untilEffective(database, send, projects[change].id));
    }
    // The first round warms up.
    if (round < 0) continue;
    perSecond.push(rate);
    acceptedMs.push(latencies);
    effectiveMs.push(changes);
  }
  const of = (/** @type {number[][]} */ rounds, /** @type {number} */ percent) => ({
    ours: rounds.map((round) => percentile(round, percent)),
    unit: ' ms',
    digits: 1,
  });
  return {
    database: await database.facts(),
    rows: [
      row({ what: `signed events accepted /s, ${CALLERS} callers`, ours: perSecond }),
      row({ what: 'accepted after, p50', ...of(acceptedMs, 50) }),
      row({ what: 'accepted after, p99', ...of(acceptedMs, 99) }),
      row({ what: 'webhook sent to tier in effect, idle, p50', ...of(effectiveMs, 50) }),
      row({ what: 'webhook sent to tier in effect, idle, p95', ...of(effectiveMs, 95) }),
    ],
    raw: { callers: CALLERS, events: EVENTS_PER_ROUND, perSecond, acceptedMs, effectiveMs },
  };
}

/**
 * @param {import('./support/database.mjs').Database} database
 * @param {(projectId: string, priceId: string) => Promise<number>} send
 * @param {string} projectId
 */
async function untilEffective(database, send, projectId) {
  const tierOf = async () => {
    const { rows } = await database.client.query('select tier from project where id = $1', [projectId]);
    return rows[0].tier;
  };
  const wanted = (await tierOf()) === 'pro' ? 'business' : 'pro';
  const startedMs = performance.now();
  await send(projectId, `price_${wanted}`);
  while ((await tierOf()) !== wanted) await sleep(POLL_MS);
  return performance.now() - startedMs;
}

/** @param {import('./support/database.mjs').Database} database */
async function drained(database) {
  const deadlineMs = performance.now() + DRAIN_DEADLINE_MS;
  for (;;) {
    const { rows } = await database.client.query(
      `select count(*)::int as n from billing_event where status = 'pending'`,
    );
    if (rows[0].n === 0) return;
    if (performance.now() > deadlineMs) throw new Error(`${rows[0].n} events are still pending`);
    await sleep(50);
  }
}

/**
 * @param {string} projectId
 * @param {string} priceId
 */
function subscriptionEvent(projectId, priceId) {
  // Without a Stripe to ask, events are ordered by the whole second of their making: each is newer than the last.
  const now = ++createdSeconds;
  const item = { id: 'si_1', price: { id: priceId, recurring: { interval: 'month' } } };
  const period = { current_period_start: now, current_period_end: now + 2_592_000 };
  return {
    ...{ id: `evt_${v7()}`, object: 'event', created: now, type: 'customer.subscription.updated' },
    data: {
      object: {
        ...{ id: `sub_${projectId}`, object: 'subscription', customer: `cus_${projectId}`, status: 'active' },
        ...{ metadata: { projectId }, created: now, latest_invoice: null },
        items: { object: 'list', data: [{ ...item, ...period }] },
      },
    },
  };
}

/**
 * A signature as Stripe makes it, by hand: the SDK's own would take a good part of the time.
 * @param {string} payload
 */
function signatureOf(payload) {
  const at = Math.floor(Date.now() / 1000);
  const mac = createHmac('sha256', SECRET).update(`${at}.${payload}`).digest('hex');
  return `t=${at},v1=${mac}`;
}
