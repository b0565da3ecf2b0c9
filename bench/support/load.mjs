// A helper: the load generator, closed loop (as fast as the answers come) and open loop (at a fixed rate).
import autocannon from 'autocannon';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { v7 } from 'uuid';
import { answerCalls } from './helper.mjs';
import { percentile } from './statistics.mjs';

/** Requests of the open loop that may be under way; past it the service is so late that the run is void. */
const OPEN_REQUESTS_MAX = 20_000;
const OPEN_CONNECTIONS = 256;
const SETTLE_DEADLINE_MS = 10_000;

const HEADERS = { 'content-type': 'application/json', origin: 'https://www.example.com' };
const CHOICE = {
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
  language: 'de',
  bannerVersion: '2026-11',
};

/** @type {Map<string, Pool>} */
const pools = new Map();

/** @param {string} origin */
function poolOf(origin) {
  const pool = pools.get(origin) ?? new Pool(origin, { connections: OPEN_CONNECTIONS, pipelining: 1 });
  pools.set(origin, pool);
  return pool;
}

/**
 * One consent with an id of its own.
 * @param {Pool} pool
 * @param {string} projectId
 */
async function postConsent(pool, projectId) {
  const id = v7();
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: `/v1/projects/${projectId}/consents`,
    headers: HEADERS,
    body: JSON.stringify({ id, ...CHOICE }),
  });
  const answeredAt = process.hrtime.bigint();
  await body.dump();
  return { id, statusCode, answeredAt };
}

answerCalls({
  /**
   * @param {{ baseUrl: string, projectId: string, connections: number, seconds: number }} args
   * @returns requests per second and latencies in ms; throws where any answer was not 201
   */
  closedLoop: async ({ baseUrl, projectId, connections, seconds }) => {
    const result = await autocannon({
      url: `${baseUrl}/v1/projects/${projectId}/consents`,
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(CHOICE),
      connections,
      duration: seconds,
    });
    if (result.non2xx > 0 || result.errors > 0) {
      throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} requests failed`);
    }
    return {
      perSecond: result['2xx'] / result.duration,
      p50Ms: result.latency.p50,
      p99Ms: result.latency.p99,
    };
  },

  /**
   * Sends at a fixed rate, whatever the answers do, to one project after another. Latencies count from the
   * instant at which a request should have been sent, so a generator or service that is late cannot hide it.
   * @param {{ baseUrl: string, projectIds: string[], ratePerSecond: number, seconds: number, warmUpSeconds: number }} args
   */
  openLoop: async ({ baseUrl, projectIds, ratePerSecond, seconds, warmUpSeconds }) => {
    const pool = poolOf(baseUrl);
    const total = Math.round(ratePerSecond * (warmUpSeconds + seconds));
    const counted = Math.round(ratePerSecond * warmUpSeconds);
    /** @type {number[]} */
    const latenciesMs = [];
    /** @type {Map<string, { projectId: string, answeredAt: bigint }>} */
    const answered = new Map();
    let wrong = 0;
    const open = new Set();
    const startedMs = performance.now();
    const post = async (/** @type {number} */ index) => {
      const intendedMs = startedMs + (index / ratePerSecond) * 1000;
      const projectId = projectIds[index % projectIds.length];
      open.add(index);
      try {
        const { id, statusCode, answeredAt } = await postConsent(pool, projectId);
        if (statusCode !== 201) wrong += 1;
        else if (index >= counted) {
          latenciesMs.push(performance.now() - intendedMs);
          answered.set(id, { projectId, answeredAt });
        }
      } catch {
        wrong += 1;
      } finally {
        open.delete(index);
      }
    };
    for (let sent = 0; sent < total;) {
      const due = Math.min(total, Math.floor(((performance.now() - startedMs) / 1000) * ratePerSecond) + 1);
      while (sent < due) void post(sent++);
      if (open.size > OPEN_REQUESTS_MAX) throw new Error('the service cannot keep up with the arrival rate');
      await sleep(1);
    }
    const deadlineMs = performance.now() + SETTLE_DEADLINE_MS;
    while (open.size > 0 && performance.now() < deadlineMs) await sleep(5);
    return {
      sent: latenciesMs.length,
      wrong: wrong + open.size,
      p50Ms: percentile(latenciesMs, 50),
      p99Ms: percentile(latenciesMs, 99),
      highestMs: percentile(latenciesMs, 100),
      answered,
    };
  },

  /**
   * One consent after another with a pause in between.
   * @param {{ baseUrl: string, projectId: string, count: number, pauseMs: number }} args
   */
  oneByOne: async ({ baseUrl, projectId, count, pauseMs }) => {
    /** @type {Map<string, bigint>} */
    const answered = new Map();
    for (let sent = 0; sent < count; sent++) {
      const { id, statusCode, answeredAt } = await postConsent(poolOf(baseUrl), projectId);
      if (statusCode !== 201) throw new Error(`the service answered ${statusCode}`);
      answered.set(id, answeredAt);
      await sleep(pauseMs);
    }
    return answered;
  },
});
