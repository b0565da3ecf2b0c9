// Custom domains: consents over a customer's host against the service's own, in rounds that take turns, and how long the edge
// waits for an answer about 10,000 hosts, known and hostile.
import { Agent, request } from 'node:http';
import { freePort } from '../dist/standalone/infrastructure/server-state.js';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledRounds, scaledSeconds } from './support/scale.mjs';

const CONNECTIONS = 64;
const ROUNDS = scaledRounds(7);
const SECONDS = scaledSeconds(2);
const WARM_UP_SECONDS = scaledSeconds(3);
const HOSTS = 10_000;
const HOST = 'h1.example.com';

export const title = 'Consents over a custom domain, and questions of the edge';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const askPort = await freePort();
  const environment = {
    RUN_WORKER: 'false',
    CUSTOM_DOMAIN_TARGET: 'edge.example.net',
    CUSTOM_DOMAIN_ASK_PORT: String(askPort),
  };
  const [load, service] = await Promise.all([
    startHelper(scope, 'load'),
    startService(scope, database, { environment }),
  ]);
  const [project] = await database.makeProjects(1);
  if (!project) throw new Error('a project was asked for');
  await addHosts(database, project.id);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (/** @type {string} */ name) => askOnce({ agent, port: askPort, name });
  for (let tries = 0; (await ask(HOST)) !== 200; tries++) {
    if (tries > 100) throw new Error('the list of hosts was not read');
    await new Promise((wake) => setTimeout(wake, 100));
  }

  const target = { baseUrl: service.baseUrl, projectId: project.id, connections: CONNECTIONS };
  const own = (/** @type {number} */ seconds) => load.call('closedLoop', { ...target, seconds });
  const custom = (/** @type {number} */ seconds) =>
    load.call('closedLoop', { ...target, seconds, host: HOST });
  await own(WARM_UP_SECONDS);
  await custom(WARM_UP_SECONDS);
  /** @type {{ own: { perSecond: number }[], custom: { perSecond: number }[] }} */
  const rounds = { own: [], custom: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.own.push(await own(SECONDS));
    rounds.custom.push(await custom(SECONDS));
    await database.emptyOutbox();
  }
  const known = await measureAsks(ask, (n) => `h${n}.example.com`, 200);
  const hostile = await measureAsks(ask, (n) => `h${n}.example.com.evil.example`, 404);
  agent.destroy();
  const ms = { digits: 2, unit: ' ms' };
  return {
    database: await database.facts(),
    rows: [
      row({
        what: 'ingest/s over a custom domain : over the own host',
        ours: rounds.custom.map(({ perSecond }) => perSecond),
        baseline: rounds.own.map(({ perSecond }) => perSecond),
      }),
      row({
        what: `p99 of ask, known : hostile names, ${HOSTS} each`,
        ours: [known],
        baseline: [hostile],
        ...ms,
      }),
    ],
    raw: { connections: CONNECTIONS, seconds: SECONDS, rounds, known, hostile },
  };
}

/**
 * @param {import('./support/database.mjs').Database} database
 * @param {string} projectId
 */
async function addHosts({ client }, projectId) {
  await client.query(`update project set domains = '{example.com}' where id = $1`, [projectId]);
  await client.query(
    `insert into custom_domain (id, project_id, hostname, token, state, state_since, created_at, next_check_at, good_at)
     select gen_random_uuid(), $1, 'h' || n || '.example.com', '', 'active', now(), now(), now() + interval '1 day', now()
     from generate_series(1, ${HOSTS}) n`,
    [projectId],
  );
}

/**
 * The p99 in milliseconds, one question after another. A wrong answer ends the bench.
 * @param {(name: string) => Promise<number>} ask
 * @param {(n: number) => string} nameOf
 * @param {number} expected
 */
async function measureAsks(ask, nameOf, expected) {
  const times = [];
  for (let n = 1; n <= HOSTS; n++) {
    const startedMs = performance.now();
    const status = await ask(nameOf(n));
    times.push(performance.now() - startedMs);
    if (status !== expected) throw new Error(`${nameOf(n)} was answered ${status}`);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(HOSTS * 0.99)] ?? 0;
}

/**
 * @param {{ agent: Agent, port: number, name: string }} question
 * @returns {Promise<number>}
 */
function askOnce({ agent, port, name }) {
  return new Promise((resolve, reject) => {
    const path = `/api/internal/custom-domains/allowed?domain=${encodeURIComponent(name)}`;
    request({ agent, port, path }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}
