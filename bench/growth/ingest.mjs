// Ingest with 0 to 10 million records present, each step beside a bare route, so that the steps can be compared.
import { startHelper } from '../support/helper.mjs';
import { row } from '../support/report.mjs';
import { startService } from '../support/service.mjs';
import { scaledCount, scaledRounds, scaledSeconds } from '../support/scale.mjs';

const STEPS = [0, 100_000, 1_000_000, 10_000_000].map((step) => scaledCount(step));
const PROJECTS = 100;
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(3);
const CONNECTIONS = 64;
const UNUSED_URL = 'https://127.0.0.1:9/unused';

/** @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database }} parts */
export async function ingestWithRecords({ scope, server }) {
  const database = await server.another('growth_ingest');
  const load = await startHelper(scope, 'load');
  const bare = await startHelper(scope, 'bare-route');
  const bareUrl = (await bare.call('listen')).baseUrl;
  const service = await startService(scope, database);
  const projects = await database.makeProjects(PROJECTS, UNUSED_URL);
  const projectIds = projects.map(({ id }) => id);
  const shoot = (/** @type {string} */ baseUrl, seconds = SECONDS) =>
    load.call('closedLoopOverProjects', { baseUrl, projectIds, connections: CONNECTIONS, seconds });
  await shoot(bareUrl);
  await shoot(service.baseUrl);

  const steps = [];
  let present = 0;
  for (const records of STEPS) {
    await database.fillRecords(projects, records - present);
    present = records;
    await database.settle();
    await shoot(service.baseUrl, 1);
    /** @type {{ records: number, bytes: number, ours: number[], bare: number[], p99Ms: number[] }} */
    const step = { records, bytes: await database.bytesOf('consent_record'), ours: [], bare: [], p99Ms: [] };
    for (let round = 0; round < ROUNDS; round++) {
      step.bare.push((await shoot(bareUrl)).perSecond);
      const { perSecond, p99Ms } = await shoot(service.baseUrl);
      step.ours.push(perSecond);
      step.p99Ms.push(p99Ms);
      await database.emptyOutbox();
    }
    steps.push(step);
  }
  await service.stop();
  return {
    rows: steps.map(({ records, ours, bare: baseline }) =>
      row({ what: `ingest/s, ${records.toLocaleString('en')} records present : bare Nest`, ours, baseline }),
    ),
    raw: steps,
  };
}
