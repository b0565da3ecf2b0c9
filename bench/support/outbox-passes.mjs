// A helper: the service's own statements on the outbox (`OutboxClaimer`, `OutboxStore`), without a receiver: claims messages, takes
// them out again as settled, puts as many new ones in, and times each.
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { readSettings } from '../../dist/app/settings.js';
import { migrate } from '../../dist/database/migrate.js';
import { ormOptions } from '../../dist/app/orm-options.js';
import { createHttpApp } from '../../dist/app/http-app.js';
import { prepareMachine } from '../../dist/one-machine/application/machine.js';
import { OutboxClaimer } from '../../dist/outbox/infrastructure/outbox.claimer.js';
import { OutboxStore } from '../../dist/outbox/infrastructure/outbox.store.js';
import { answerCalls } from './helper.mjs';

const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';
const TOPICS = ['consent.recorded'];

/** @type {Map<string, { claimer: any, store: any, em: any, client: Client, afterKey: string }>} */
const opened = new Map();

answerCalls({
  /**
   * Migrates a database and builds the service on it, not started: nothing works on its own.
   * @param {{ databaseUrl: string, dataDir: string }} args
   */
  open: async ({ databaseUrl, dataDir }) => {
    const orm = await MikroORM.init(ormOptions(databaseUrl));
    await migrate(orm, { ownerUrl: databaseUrl, runtimeUrl: databaseUrl });
    await orm.close();
    const { settings } = await prepareMachine(
      readSettings({
        NODE_ENV: 'development',
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
        LOG_LEVEL: 'warn',
      }),
    );
    const app = await createHttpApp(settings, { operationsOnly: true });
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    client.on('error', () => {});
    opened.set(databaseUrl, {
      claimer: app.get(OutboxClaimer, { strict: false }),
      store: app.get(OutboxStore, { strict: false }),
      em: app.get(EntityManager, { strict: false }),
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
        gatedTopics: TOPICS,
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
      const removed = await on.em.fork().transactional((/** @type {any} */ tx) =>
        on.store.remove(
          tx,
          messages.map((/** @type {any} */ message) => ({ message, claimId })),
        ),
      );
      settleMs.push(performance.now() - claimedMs);
      if (removed.size !== messages.length) throw new Error('a claimed message was not there any more');
      passed += messages.length;
      await on.client.query(
        `insert into outbox_message (project_id, topic, subject_id)
         select project_id, $2, gen_random_uuid() from unnest($1::uuid[]) as p (project_id)`,
        [messages.map((/** @type {any} */ { projectId }) => projectId), TOPICS[0]],
      );
    }
    return { claimMs, settleMs, passed };
  },
});
