// A helper: the service's own statements on the outbox (`OutboxClaimer`, `SingleStatementSettler`), without a receiver: claims messages,
// takes them out again as delivered, puts as many new ones in, and times each.
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { readSettings } from '../../dist/app/settings.js';
import { migrate } from '../../dist/database/migrate.js';
import { ormOptions } from '../../dist/app/orm-options.js';
import { createHttpApp } from '../../dist/app/http-app.js';
import { prepareRuntime } from '../../dist/standalone/application/prepare-runtime.js';
import { OutboxClaimer } from '../../dist/outbox/infrastructure/outbox.claimer.js';
import { SingleStatementSettler } from '../../dist/outbox/infrastructure/single-statement-settler.js';
import { PartitionMaintenance } from '../../dist/database/partition-maintenance.js';
import { DELIVERY_PARTITIONS } from '../../dist/forwarding/infrastructure/delivery.partitions.js';
import { ConsentForwarder } from '../../dist/forwarding/application/consent-forwarder.js';
import { answerCalls } from './helper.mjs';

const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';
const TOPICS = ['consent.recorded'];
const DELIVERED = {
  outcome: 'delivered',
  category: null,
  httpStatus: 200,
  reason: null,
  durationMs: 5,
  host: 'example.com',
  health: { kind: 'up' },
};

/** @type {Map<string, { claimer: any, settlement: any, quick: any, client: Client, afterKey: string }>} */
const opened = new Map();

answerCalls({
  /**
   * Migrates a database and builds the service on it without starting it: nothing runs in the background.
   * @param {{ databaseUrl: string, dataDir: string }} args
   */
  open: async ({ databaseUrl, dataDir }) => {
    const orm = await MikroORM.init(ormOptions(databaseUrl));
    await migrate(orm, { ownerUrl: databaseUrl, runtimeUrl: databaseUrl });
    await orm.close();
    const { settings } = await prepareRuntime(
      readSettings({
        NODE_ENV: 'development',
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
        LOG_LEVEL: 'warn',
      }),
    );
    const app = await createHttpApp(settings, { operationsOnly: true });
    // A service that starts creates them, too.
    const partitions = app.get(PartitionMaintenance, { strict: false });
    for (const table of DELIVERY_PARTITIONS) await partitions.createMissing(table, new Date());
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    client.on('error', () => {});
    opened.set(databaseUrl, {
      claimer: app.get(OutboxClaimer, { strict: false }),
      settlement: app.get(SingleStatementSettler, { strict: false }),
      singleStatement: app.get(ConsentForwarder, { strict: false }).singleStatement,
      client,
      afterKey: LOWEST_KEY,
    });
  },

  /**
   * Claims, settles and refills `count` times. Returns the milliseconds of each, and how many messages passed.
   * @param {{ databaseUrl: string, count: number, limit: number, limitPerProject: number }} args
   */
  pass: async ({ databaseUrl, count, limit, limitPerProject }) => {
    const on = opened.get(databaseUrl);
    if (!on) throw new Error('open the database first');
    /** @type {number[]} */
    const claimMs = [];
    /** @type {number[]} */
    const settleMs = [];
    let passed = 0;
    for (let turn = 0; turn < count; turn++) {
      const startedMs = performance.now();
      const { claimId, messages, nextKey } = await on.claimer.claim({
        topics: TOPICS,
        throttledTopics: TOPICS,
        limit,
        limitPerKey: limitPerProject,
        freeOf: new Map(),
        freeOfTopic: new Map(),
        afterKey: on.afterKey,
      });
      claimMs.push(performance.now() - startedMs);
      on.afterKey = nextKey;
      if (messages.length === 0) continue;
      const claimedMs = performance.now();
      const attemptedAt = new Date();
      const settled = await on.settlement.settle(
        on.singleStatement,
        messages.map((/** @type {any} */ message) => ({
          leased: { message, claimId },
          values: on.singleStatement.valuesOf({ message, outcome: { ...DELIVERED, attemptedAt } }),
        })),
      );
      settleMs.push(performance.now() - claimedMs);
      if (settled.size !== messages.length) throw new Error('a claimed message was not there any more');
      passed += messages.length;
      await on.client.query(
        `insert into outbox_message (ordering_key, project_id, topic, subject_id)
         select project_id, project_id, $2, gen_random_uuid() from unnest($1::uuid[]) as p (project_id)`,
        [messages.map((/** @type {any} */ { projectId }) => projectId), TOPICS[0]],
      );
    }
    return { claimMs, settleMs, passed };
  },
});
