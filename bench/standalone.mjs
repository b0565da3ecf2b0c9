// Standalone: a new user's measurement with `npm start` and 64 callers: consents accepted and
// delivered to the demo receiver, latency, memory; and with forwarding off, compared with a single
// API process and with a bare route.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { runningServer } from '../dist/standalone/embedded-postgres.js';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { processTree, proportionalMb, residentMb } from './support/processes.mjs';
import { row } from './support/report.mjs';
import { scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';
import { startService } from './support/service.mjs';
import { startStandalone } from './support/standalone.mjs';

const CONNECTIONS = 64;
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(15, 2);
const WARM_UP_SECONDS = scaledSeconds(10, 1);
const STEADY_ROUNDS = scaledRounds(5);
/** Slightly more than the goal, because the last records of a round are delivered after it. */
const STEADY_PER_SECOND = scaledRate(4_100);
const OFF_ROUNDS = scaledRounds(7);
const OFF_SECONDS = scaledSeconds(4, 1);
const MEMORY_SAMPLE_MS = 500;
const DRAIN_DEADLINE_MS = 180_000;
/** Processes of the start that are no part of the service: npm and its shell, the embedded server, the demo's receiver. */
const SERVICE = /\bdist\/(?!.*demo-receiver)/;

export const deadlineMs = 900_000;
export const title = `Standalone: \`npm start\`, ${CONNECTIONS} callers in a closed loop, forwarded to the demo receiver`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const dataDir = join(scope.folder, 'standalone');
  const service = await startStandalone(scope, {
    environment: { DATA_DIR: dataDir, INGEST_RATE_PER_MINUTE: '0' },
  });
  const { projectId, apiKeys } = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8'));
  const client = new Client({ connectionString: (await runningServer(join(dataDir, 'postgres'))).ownerUrl });
  await client.connect();
  client.on('error', () => {});
  scope.defer(() => client.end());
  const load = await startHelper(scope, 'load');
  const shoot = (
    /** @type {{ baseUrl: string, projectId: string }} */ target,
    /** @type {number} */ seconds,
    /** @type {number | undefined} */ perSecondMax,
  ) => load.call('closedLoop', { ...target, connections: CONNECTIONS, seconds, perSecondMax });
  const standalone = { baseUrl: service.baseUrl, projectId };

  await shoot(standalone, WARM_UP_SECONDS);
  await drained(client);
  const memory = watchMemory(service.pid);
  /** @type {Round[]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push(await measure(client, () => shoot(standalone, SECONDS)));
  /** @type {Round[]} */
  const steady = [];
  for (let round = 0; round < STEADY_ROUNDS; round++)
    steady.push(await measure(client, () => shoot(standalone, SECONDS, STEADY_PER_SECOND)));
  const processes = memory.stop();

  await setForwarding({ ...standalone, key: apiKeys.editor, enabled: false });
  const off = await forwardingOff({ scope, shoot, standalone });
  const of = (/** @type {keyof (typeof rounds)[number]} */ figure) => rounds.map((one) => one[figure]);
  const ms = { digits: 1, unit: ' ms' };
  const sum = (/** @type {'residentMb' | 'proportionalMb'} */ figure) => [
    processes.filter((one) => SERVICE.test(one.command)).reduce((total, one) => total + one[figure], 0),
  ];
  for (const { command, ...figures } of processes)
    console.log(
      `  ${SERVICE.test(command) ? 'service' : 'other  '} ${JSON.stringify(figures)} ${command.slice(0, 100)}`,
    );
  return {
    database: (
      await client.query(
        `select current_setting('server_version') as "PostgreSQL", current_setting('fsync') as "fsync"`,
      )
    ).rows[0],
    rows: [
      row({ what: 'accepted/s', ours: of('perSecond'), target: { atLeast: 4_000 } }),
      row({
        what: 'delivered/s during the same time',
        ours: of('deliveredPerSecond'),
        target: { atLeast: 4_000 },
      }),
      row({ what: 'p50', ours: of('p50Ms'), ...ms }),
      row({ what: 'p99', ours: of('p99Ms'), target: { atMost: 50 }, ...ms }),
      row({ what: 'records waiting at the end of a round', ours: of('backlog') }),
      row({
        what: 'delivered/s of these, without callers',
        ours: of('drainedPerSecond'),
        target: { atLeast: 4_000 },
      }),
      row({
        what: `delivered/s while at most ${STEADY_PER_SECOND}/s are accepted`,
        ours: steady.map((one) => one.deliveredPerSecond),
        target: { atLeast: 4_000 },
      }),
      row({ what: 'records waiting at the end of these rounds', ours: steady.map((one) => one.backlog) }),
      row({
        what: 'resident memory of the service, highest',
        ours: sum('residentMb'),
        unit: ' MB',
        target: { atMost: 500 },
      }),
      row({ what: 'the same, shared pages counted once', ours: sum('proportionalMb'), unit: ' MB' }),
      row({
        what: 'accepted/s, forwarding off : API alone (RUN_WORKER=false)',
        ours: off.standalone,
        baseline: off.alone,
        target: { ratioAtLeast: 0.8 },
      }),
      row({
        what: 'accepted/s, forwarding off : bare Nest + Express route',
        ours: off.standalone,
        baseline: off.bare,
      }),
      row({
        what: 'accepted/s, forwarded : bare Nest + Express route',
        ours: of('perSecond').slice(0, off.bare.length),
        baseline: off.bare.slice(0, rounds.length),
      }),
    ],
    raw: { connections: CONNECTIONS, seconds: SECONDS, rounds, steady, processes, off },
  };
}

/**
 * @typedef {{ perSecond: number, p50Ms: number, p99Ms: number, backlog: number, deliveredPerSecond: number,
 *             drainedPerSecond: number }} Round
 */

/**
 * One round of load, and the time until everything is delivered.
 * @param {Client} client
 * @param {() => Promise<{ perSecond: number, p50Ms: number, p99Ms: number }>} load
 * @returns {Promise<Round>}
 */
async function measure(client, load) {
  const [before, startedMs] = [await delivered(client), performance.now()];
  const { perSecond, p50Ms, p99Ms } = await load();
  const seconds = (performance.now() - startedMs) / 1_000;
  const deliveredPerSecond = ((await delivered(client)) - before) / seconds;
  const backlog = await waiting(client);
  const drainedPerSecond = (backlog / (await drained(client))) * 1_000;
  return { perSecond, p50Ms, p99Ms, backlog, deliveredPerSecond, drainedPerSecond };
}

/**
 * Alternating rounds of the standalone start, of one API process with its own database and without a worker, and of a bare
 * route.
 * @param {{ scope: import('./support/scope.mjs').Scope, standalone: { baseUrl: string, projectId: string },
 *           shoot: (target: { baseUrl: string, projectId: string }, seconds: number) => Promise<{ perSecond: number }> }} parts
 */
async function forwardingOff({ scope, shoot, standalone }) {
  const database = await startDatabase(scope);
  const api = await startService(scope, database, { environment: { RUN_WORKER: 'false' } });
  const [project] = await database.makeProjects(1);
  const route = await (await startHelper(scope, 'bare-route')).call('listen');
  const sides = {
    standalone,
    alone: { baseUrl: api.baseUrl, projectId: project.id },
    bare: { baseUrl: route.baseUrl, projectId: project.id },
  };
  const names = /** @type {const} */ (['standalone', 'alone', 'bare']);
  /** @type {Record<(typeof names)[number], number[]>} */
  const rates = { standalone: [], alone: [], bare: [] };
  for (const name of names) await shoot(sides[name], OFF_SECONDS);
  for (let round = 0; round < OFF_ROUNDS; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed())
      rates[name].push((await shoot(sides[name], OFF_SECONDS)).perSecond);
  return rates;
}

/** @param {{ baseUrl: string, projectId: string, key: string, enabled: boolean }} options */
async function setForwarding({ baseUrl, projectId, key, enabled }) {
  const url = `${baseUrl}/v1/projects/${projectId}/forwarding`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { endpointUrl, authMode } = await (await fetch(url, { headers })).json();
  const response = await fetch(url, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ enabled, endpointUrl, authMode }),
  });
  if (!response.ok) throw new Error(`PUT /forwarding returned ${response.status}: ${await response.text()}`);
}

/**
 * The highest memory of each process of the start, sampled until it is stopped.
 * @param {number} pid
 */
function watchMemory(pid) {
  /** @type {Map<number, { pid: number, command: string, residentMb: number, proportionalMb: number }>} */
  const highest = new Map();
  const sample = () => {
    for (const { pid: one, command } of processTree(pid)) {
      const known = highest.get(one);
      highest.set(one, {
        pid: one,
        command,
        residentMb: Math.round(Math.max(known?.residentMb ?? 0, residentMb(one))),
        proportionalMb: Math.round(Math.max(known?.proportionalMb ?? 0, proportionalMb(one))),
      });
    }
  };
  const timer = setInterval(sample, MEMORY_SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return [...highest.values()];
    },
  };
}

/** @param {Client} client */
async function delivered(client) {
  const { rows } = await client.query(
    `select count(*)::int as count from delivery where outcome = 'delivered'`,
  );
  return rows[0].count;
}

/** @param {Client} client */
async function waiting(client) {
  const { rows } = await client.query(
    `select count(*)::int as count from outbox_message where topic = 'consent.recorded'`,
  );
  return rows[0].count;
}

/**
 * Returns how long it took, in ms.
 * @param {Client} client
 */
async function drained(client) {
  const startedMs = performance.now();
  while ((await waiting(client)) > 0) {
    if (performance.now() - startedMs > DRAIN_DEADLINE_MS)
      throw new Error(`${await waiting(client)} records still wait`);
    await sleep(100);
  }
  return performance.now() - startedMs;
}
