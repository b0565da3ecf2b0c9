// Pipelining: ingest beside clients that send requests without waiting for responses.
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const RATE_PER_SECOND = scaledRate(50);
const ROUNDS = scaledRounds(2);
const SECONDS = scaledSeconds(3);
const WARM_UP_SECONDS = 1;
const READ_BYTES = 64 * 1024;
/** An attack may add this much to the p99 of ingest. */
const ADDED_MS_MAX = 50;

const get = (/** @type {string} */ path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (/** @type {string} */ path, /** @type {string} */ body) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** By name; `repeat`: the client writes on as fast as the service reads. */
const ATTACKS = {
  '4 connections, GET /v1/pricing without end': {
    connections: 4,
    request: get('/v1/pricing'),
    bytes: READ_BYTES,
    repeat: true,
  },
  'GET /v1/pricing, 45 kB at once': {
    connections: 1,
    request: get('/v1/pricing'),
    bytes: 45_000,
    repeat: false,
  },
  'GET /v1/pricing, 360 kB at once': {
    connections: 1,
    request: get('/v1/pricing'),
    bytes: 360_000,
    repeat: false,
  },
  '100 × GET /docs-yaml at once': { connections: 1, request: get('/docs-yaml'), bytes: 4_000, repeat: false },
  '4 connections, POST /v1/auth/sign-in/email without end': {
    connections: 4,
    request: post('/v1/auth/sign-in/email', '{"email":"a@b.example","password":"0123456789ab"}'),
    bytes: READ_BYTES,
    repeat: true,
  },
  '1,000 connections, 64 KiB of GET /v1/pricing each at once': {
    connections: 1_000,
    request: get('/v1/pricing'),
    bytes: READ_BYTES,
    repeat: false,
  },
  // What as many connections cost without pipelining.
  '1,000 connections, one GET /v1/pricing each': {
    connections: 1_000,
    request: get('/v1/pricing'),
    bytes: 1,
    repeat: false,
  },
  '4 connections, no Host header, without end': {
    connections: 4,
    request: 'GET / HTTP/1.1\r\n\r\n',
    bytes: READ_BYTES,
    repeat: true,
  },
  '4 connections, bodies of empty lines, without end': {
    connections: 4,
    request: post('/v1/auth/sign-in/email', '\r\n'.repeat(8_000)),
    bytes: READ_BYTES,
    repeat: true,
  },
};

/** Two blocks for each attack and round. */
export const deadlineMs = 400_000;
export const title = `Pipelining, ${RATE_PER_SECOND} consents/s of another client from the same address`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const [load, attacker, service] = await Promise.all([
    startHelper(scope, 'load'),
    startHelper(scope, 'pipeliner'),
    startService(scope, database),
  ]);
  const [project] = await database.makeProjects(1);
  const send = async () => {
    const { sent, wrong, p50Ms, p99Ms, highestMs } = await load.call('openLoop', {
      baseUrl: service.baseUrl,
      projectIds: [project.id],
      ratePerSecond: RATE_PER_SECOND,
      seconds: SECONDS,
      warmUpSeconds: WARM_UP_SECONDS,
      track: false,
    });
    return { sent, wrong, p50Ms, p99Ms, highestMs };
  };
  await send();
  // A process builds the API's description and loads its sign-in library when they are first asked for.
  for (const { request } of Object.values(ATTACKS)) {
    await attacker.call('begin', {
      baseUrl: service.baseUrl,
      connections: 1,
      request,
      bytes: 1,
      repeat: false,
    });
    await send();
    await attacker.call('end');
  }
  /** @type {Record<string, { before: Awaited<ReturnType<typeof send>>, during: Awaited<ReturnType<typeof send>>, received: number }[]>} */
  const rounds = {};
  for (const [name, attack] of Object.entries(ATTACKS)) {
    rounds[name] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = await send();
      const measured = send();
      // The attack begins within the measured time.
      await new Promise((begun) => setTimeout(begun, (WARM_UP_SECONDS + 0.5) * 1000));
      await attacker.call('begin', { baseUrl: service.baseUrl, ...attack });
      const during = await measured;
      const { received } = await attacker.call('end');
      rounds[name].push({ before, during, received });
    }
  }
  return {
    database: await database.facts(),
    rows: Object.entries(rounds).map(([name, blocks]) =>
      row({
        what: `ingest p99, ${name} : before`,
        ours: blocks.map(({ during }) => (during.wrong > 0 ? Number.POSITIVE_INFINITY : during.p99Ms)),
        baseline: blocks.map(({ before }) => before.p99Ms),
        target: { differenceAtMost: ADDED_MS_MAX },
        digits: 1,
        unit: ' ms',
      }),
    ),
    raw: { ratePerSecond: RATE_PER_SECOND, seconds: SECONDS, rounds },
  };
}
