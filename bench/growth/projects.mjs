// Ten thousand projects beside one hundred: ingest spread over them, and the walk of the claim.
import { join } from 'node:path';
import { startHelper } from '../support/helper.mjs';
import { row } from '../support/report.mjs';
import { startService } from '../support/service.mjs';
import { median } from '../support/statistics.mjs';
import { scaledCount, scaledRounds, scaledSeconds } from '../support/scale.mjs';

const FEW = 100;
const MANY = scaledCount(10_000, 200);
const MESSAGES = scaledCount(40_000, 1000);
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(3);
const CONNECTIONS = 64;
const CLAIMS = scaledCount(40, 4);
const LIMIT = 256;
const LIMIT_PER_PROJECT = 4;
const UNUSED_URL = 'https://127.0.0.1:9/unused';

/** @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database }} parts */
export async function manyProjects({ scope, server }) {
  const load = await startHelper(scope, 'load');
  const passes = await startHelper(scope, 'outbox-passes');
  const sides = [];
  for (const count of [FEW, MANY]) {
    const database = await server.another(`growth_${count}_projects`);
    const service = await startService(scope, database);
    await passes.call('open', { databaseUrl: database.url, dataDir: join(scope.folder, 'data') });
    const projects = await database.makeProjects(count, UNUSED_URL);
    await database.settle();
    sides.push({
      database,
      service,
      projects,
      rates: /** @type {number[]} */ ([]),
      claimMs: /** @type {number[]} */ ([]),
    });
  }
  for (let round = -1; round < ROUNDS; round++) {
    for (const { database, service, projects, rates, claimMs } of sides) {
      const { perSecond } = await load.call('closedLoopOverProjects', {
        baseUrl: service.baseUrl,
        projectIds: projects.map(({ id }) => id),
        connections: CONNECTIONS,
        seconds: SECONDS,
      });
      await database.emptyOutbox();
      await database.fillMessages(projects, MESSAGES);
      const pass = await passes.call('pass', {
        databaseUrl: database.url,
        count: CLAIMS,
        limit: LIMIT,
        limitPerProject: LIMIT_PER_PROJECT,
      });
      await database.emptyOutbox();
      if (round < 0) continue;
      rates.push(perSecond);
      claimMs.push(median(pass.claimMs));
    }
  }
  const [few, many] = sides;
  for (const { service } of sides) await service.stop();
  const counts = `${many.projects.length.toLocaleString('en')} projects : ${FEW}`;
  return {
    rows: [
      row({ what: `ingest/s, spread over ${counts}`, ours: many.rates, baseline: few.rates }),
      row({
        what: `claim of ${LIMIT}, ${MESSAGES.toLocaleString('en')} waiting, ${counts}`,
        ours: many.claimMs,
        baseline: few.claimMs,
        digits: 2,
        unit: ' ms',
      }),
    ],
    raw: sides.map(({ projects, rates, claimMs }) => ({ projects: projects.length, rates, claimMs })),
  };
}
