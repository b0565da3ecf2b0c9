// A helper: pg-boss with one job per delivery. Configured for speed: batches as large as the
// concurrency, fetched without a pause while there are more, each job settled separately.
import { PgBoss } from 'pg-boss';
import { v7 } from 'uuid';
import { answerCalls } from './helper.mjs';
import { makeSender } from './sending.mjs';

const QUEUE = 'delivery';
const LOOPS = 4;
const JOBS_OF_ONE_INSERT = 5_000;
const CONNECTIONS = 20;
const POLL_SECONDS = 0.5;

/** @type {PgBoss} */
let boss;
/** @type {(...args: any[]) => any} */
let work;

answerCalls({
  /** @param {{ databaseUrl: string, caFile: string, url: string, concurrency: number }} args */
  open: async ({ databaseUrl, caFile, url, concurrency }) => {
    boss = new PgBoss({ connectionString: databaseUrl, max: CONNECTIONS });
    boss.on('error', (error) => console.error(error));
    await boss.start();
    await boss.createQueue(QUEUE, { retryLimit: 0 });
    const send = makeSender({ caFile, connections: concurrency });
    work = () =>
      boss.work(
        QUEUE,
        {
          batchSize: concurrency / LOOPS,
          localConcurrency: LOOPS,
          burstWhenBatchFull: true,
          pollingIntervalSeconds: POLL_SECONDS,
          perJobResults: true,
        },
        (jobs) =>
          Promise.all(
            jobs.map(({ id }) =>
              send(url, id).then(
                () => ({ id, status: /** @type {const} */ ('completed') }),
                () => ({ id, status: /** @type {const} */ ('failed') }),
              ),
            ),
          ),
      );
  },
  /** @param {{ count: number }} args */
  fill: async ({ count }) => {
    for (let done = 0; done < count; done += JOBS_OF_ONE_INSERT) {
      const jobs = Array.from({ length: Math.min(JOBS_OF_ONE_INSERT, count - done) }, () => ({
        id: v7(),
        data: { action: 'custom' },
      }));
      await boss.insert(QUEUE, jobs);
    }
  },
  work: () => work(),
  stop: () => boss.offWork(QUEUE, { wait: true }),
});
