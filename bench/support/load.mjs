// A helper: the load generator, closed loop (as fast as the answers come) and open loop (at a fixed rate).
import autocannon from 'autocannon';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'hdr-histogram-js';
import { Pool } from 'undici';
import { v7 } from 'uuid';
import { answerCalls } from './helper.mjs';

/**
 * Concurrent requests of the open loop; beyond that the service is so late that the run is void.
 */
const OPEN_REQUESTS_MAX = 20_000;
const OPEN_CONNECTIONS = 256;
/** A slice without any response is repeated once, this many times as long. */
const SILENT_FACTOR = 10;
const SETTLE_DEADLINE_MS = 10_000;
/** Latencies are counted in microseconds, to three digits, up to a minute. */
const LATENCY_MAX_MICROSECONDS = 60_000_000;

const HEADERS = { 'content-type': 'application/json', origin: 'https://www.example.com' };
const VISIT_CONNECTIONS = 16;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const CHOICE = {
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
  language: 'de',
  bannerVersion: '2026-11',
};
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const SUBJECT_CHARACTERS = 22;

/** @type {Map<string, Pool>} */
const pools = new Map();

/** @param {string} origin */
function poolOf(origin) {
  const pool = pools.get(origin) ?? new Pool(origin, { connections: OPEN_CONNECTIONS, pipelining: 1 });
  pools.set(origin, pool);
  return pool;
}

/** @param {string} projectId */
function pathOf(projectId) {
  return `/v1/projects/${projectId}/consents`;
}

/**
 * One consent with a new id.
 * @param {Pool} pool
 * @param {string} projectId
 */
async function postConsent(pool, projectId) {
  const id = v7();
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: pathOf(projectId),
    headers: HEADERS,
    body: JSON.stringify({ id, ...CHOICE }),
  });
  const answeredAt = process.hrtime.bigint();
  await body.dump();
  return { id, statusCode, answeredAt };
}

/** The same choice as `@c15t/backend` takes it, of a new subject. */
function c15tConsent() {
  const subject = Array.from({ length: SUBJECT_CHARACTERS }, () => BASE58[randomInt(BASE58.length)]).join('');
  return JSON.stringify({
    type: 'cookie_banner',
    subjectId: `sub_${subject}`,
    domain: 'www.example.com',
    preferences: { necessary: true, measurement: true, marketing: false },
    givenAt: Date.now(),
    jurisdictionModel: 'opt-in',
    uiSource: 'banner',
    consentAction: 'custom',
  });
}

/**
 * @param {import('autocannon').Options} options
 * @param {{ mayBeSilent?: boolean }} [expected] whether a server that answers nothing in this time is a result
 * @returns requests per second and latencies in ms; throws where any answer was not 2xx
 */
async function shoot(options, { mayBeSilent = false } = {}) {
  const once = (/** @type {number} */ seconds) =>
    autocannon({ method: 'POST', headers: HEADERS, ...options, duration: seconds });
  const seconds = Number(options.duration);
  let result = await once(seconds);
  // A short slice on a busy machine.
  if (result['2xx'] === 0 && !mayBeSilent) result = await once(seconds * SILENT_FACTOR);
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} requests failed`);
  }
  if (result['2xx'] === 0 && !mayBeSilent)
    throw new Error('not one request was answered: the machine stands still');
  return {
    perSecond: result['2xx'] / result.duration,
    count: result['2xx'],
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}

answerCalls({
  /**
   * `host`: another name in `Host`. `perSecondMax`: of all callers together; absent: as many as they can.
   * @param {{ baseUrl: string, projectId: string, connections: number, seconds: number, host?: string, perSecondMax?: number }} args
   */
  closedLoop: ({ baseUrl, projectId, connections, seconds, host, perSecondMax }) =>
    shoot({
      ...(perSecondMax !== undefined && { overallRate: perSecondMax }),
      url: `${baseUrl}${pathOf(projectId)}`,
      ...(host !== undefined && { headers: { ...HEADERS, host } }),
      body: JSON.stringify(CHOICE),
      connections,
      duration: seconds,
    }),

  /**
   * Page views as the loader's beacon sends them, at a fixed rate over kept connections.
   * @param {{ baseUrl: string, projectId: string, ratePerSecond: number, seconds: number }} args
   */
  visits: async ({ baseUrl, projectId, ratePerSecond, seconds }) => {
    const result = await autocannon({
      method: 'POST',
      url: `${baseUrl}/v1/projects/${projectId}/visits`,
      headers: { ...HEADERS, 'content-type': 'text/plain;charset=UTF-8', 'user-agent': BROWSER },
      body: JSON.stringify({ region: 'DE' }),
      connections: VISIT_CONNECTIONS,
      overallRate: ratePerSecond,
      duration: seconds,
    });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} visits were not counted`);
    return { perSecond: result['2xx'] / result.duration };
  },

  /**
   * To one project after another.
   * @param {{ baseUrl: string, projectIds: string[], connections: number, seconds: number }} args
   */
  closedLoopOverProjects: ({ baseUrl, projectIds, connections, seconds }) => {
    let sent = 0;
    return shoot({
      url: baseUrl,
      requests: [
        {
          method: 'POST',
          headers: HEADERS,
          body: JSON.stringify(CHOICE),
          setupRequest: (request) => ({
            ...request,
            path: pathOf(projectIds[sent++ % projectIds.length] ?? ''),
          }),
        },
      ],
      connections,
      duration: seconds,
    });
  },

  /** @param {{ baseUrl: string, path: string, connections: number, seconds: number }} args */
  closedLoopC15t: ({ baseUrl, path, connections, seconds }) =>
    shoot(
      {
        url: baseUrl,
        requests: [
          {
            method: 'POST',
            path,
            headers: HEADERS,
            setupRequest: (request) => ({ ...request, body: c15tConsent() }),
          },
        ],
        connections,
        duration: seconds,
        timeout: seconds + 1,
      },
      { mayBeSilent: true },
    ),

  /**
   * Sends at a fixed rate, whatever the answers do, to one project after another. Latencies count from the
   * instant at which a request should have been sent, so a generator or service that is late cannot hide it.
   * `track` false: the ids are not kept, for a run of many minutes.
   * @param {{ baseUrl: string, projectIds: string[], ratePerSecond: number, seconds: number,
   *           warmUpSeconds: number, track?: boolean }} args
   */
  openLoop: async ({ baseUrl, projectIds, ratePerSecond, seconds, warmUpSeconds, track = true }) => {
    const pool = poolOf(baseUrl);
    const total = Math.round(ratePerSecond * (warmUpSeconds + seconds));
    const counted = Math.round(ratePerSecond * warmUpSeconds);
    const latencies = build({
      highestTrackableValue: LATENCY_MAX_MICROSECONDS,
      numberOfSignificantValueDigits: 3,
    });
    /** @type {Map<string, { projectId: string, dueAt: bigint, answeredAt: bigint }>} */
    const answered = new Map();
    let wrong = 0;
    const open = new Set();
    const [startedMs, startedAt] = [performance.now(), process.hrtime.bigint()];
    const post = async (/** @type {number} */ index) => {
      const dueMs = (index / ratePerSecond) * 1000;
      const projectId = projectIds[index % projectIds.length] ?? '';
      open.add(index);
      try {
        const { id, statusCode, answeredAt } = await postConsent(pool, projectId);
        if (statusCode !== 201) wrong += 1;
        else if (index >= counted) {
          latencies.recordValue(Math.round((performance.now() - startedMs - dueMs) * 1000));
          const dueAt = startedAt + BigInt(Math.round(dueMs * 1e6));
          if (track) answered.set(id, { projectId, dueAt, answeredAt });
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
    const percentileMs = (/** @type {number} */ percent) => latencies.getValueAtPercentile(percent) / 1000;
    return {
      sent: latencies.totalCount,
      wrong: wrong + open.size,
      p50Ms: percentileMs(50),
      p99Ms: percentileMs(99),
      p999Ms: percentileMs(99.9),
      highestMs: latencies.maxValue / 1000,
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
