// A helper: graphile-worker with one job per delivery, set up for speed: jobs fetched in batches into its local
// queue, and completed in batches.
import { Logger, run } from 'graphile-worker';
import { Pool } from 'pg';
import { v7 } from 'uuid';
import { answerCalls } from './helper.mjs';
import { makeSender } from './sending.mjs';

const TASK = 'deliver';
const CONNECTIONS = 20;
const POLL_MS = 500;

/** @type {Pool} */
let pool;
/** @type {(...args: any[]) => Promise<any>} */
let start;
/** @type {Awaited<ReturnType<typeof run>> | null} */
let runner = null;

answerCalls({
  /** @param {{ databaseUrl: string, caFile: string, url: string, concurrency: number }} args */
  open: async ({ databaseUrl, caFile, url, concurrency }) => {
    pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS });
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    const send = makeSender({ caFile, connections: concurrency });
    start = () =>
      run({
        pgPool: pool,
        noHandleSignals: true,
        logger: new Logger(() => () => {}),
        taskList: { [TASK]: (/** @type {any} */ { id }) => send(url, id) },
        preset: {
          worker: {
            concurrentJobs: concurrency,
            maxPoolSize: CONNECTIONS,
            pollInterval: POLL_MS,
            localQueue: { size: concurrency * 2 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
    // Makes its tables.
    const first = await start();
    await first.stop();
  },
  /** @param {{ count: number }} args */
  fill: async ({ count }) => {
    await pool.query(
      `select graphile_worker.add_jobs(array(
         select ($1::text, json_build_object('id', id, 'action', 'custom'), null, now(), 1, null, 0,
                 null)::graphile_worker.job_spec
         from unnest($2::uuid[]) as j (id)
       ))`,
      [TASK, Array.from({ length: count }, () => v7())],
    );
  },
  work: async () => {
    runner = await start();
  },
  stop: () => runner?.stop(),
});
