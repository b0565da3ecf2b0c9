// A helper: the service's own statements on the outbox (`OutboxClaimer`, `SingleStatementSettler`), without a receiver: claims messages,
// takes them out again as delivered, puts as many new ones in, and times each.
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { readSettings } from '../../dist/programs/settings.js';
import { migrate } from '../../dist/platform/database/migrate.js';
import { ormOptions } from '../../dist/programs/orm-options.js';
import { createWorkerServer } from '../../dist/programs/worker-server.js';
import { prepareRuntime } from '../../dist/standalone/prepare-runtime.js';
import { OutboxClaimer } from '../../dist/platform/outbox/infrastructure/outbox.claimer.js';
import { PartitionRotation } from '../../dist/platform/outbox/application/partition-rotation.js';
import { SingleStatementSettler } from '../../dist/platform/outbox/infrastructure/single-statement-settler.js';
import { PartitionMaintenance } from '../../dist/platform/database/partitions.js';
import { DELIVERY_PARTITIONS } from '../../dist/modules/forwarding/infrastructure/delivery.rows.js';
import { ConsentForwarder } from '../../dist/modules/forwarding/application/consent-forwarder.js';
import { idAt } from '../../dist/platform/identity/ids.js';
import { OPEN_PART } from './database.mjs';
import { answerCalls } from './helper.mjs';

const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';
const ROTATE_MS = 1_000;
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

/**
 * @typedef {{ claimer: any, settlement: any, singleStatement: any, rotation: any, client: Client,
 *             afterKey: Map<number, string>, rotatedMs: number }} Opened
 */
/** @type {Map<string, Opened>} */
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
    const app = await createWorkerServer(settings);
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
      rotation: app.get(PartitionRotation, { strict: false }),
      afterKey: new Map(),
      rotatedMs: 0,
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
      await rotate(on);
      const startedMs = performance.now();
      const leased = await claim(on, { limit, limitPerProject });
      claimMs.push(performance.now() - startedMs);
      if (leased.length === 0) continue;
      const claimedMs = performance.now();
      const attemptedAt = new Date();
      const settled = await on.settlement.settle(
        on.singleStatement,
        leased.map((one) => ({
          leased: one,
          values: on.singleStatement.valuesOf({
            message: one.message,
            outcome: { ...DELIVERED, id: idAt(attemptedAt), attemptedAt },
          }),
        })),
      );
      settleMs.push(performance.now() - claimedMs);
      if (settled.size !== leased.length) throw new Error('a claimed message was already gone');
      passed += leased.length;
      await on.client.query(
        `insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
         select ${OPEN_PART}, project_id, project_id, $2, gen_random_uuid() from unnest($1::uuid[]) as p (project_id)`,
        [leased.map(({ message }) => message.projectId), TOPICS[0]],
      );
    }
    return { claimMs, settleMs, passed };
  },
});

/** As often as a worker does. @param {Opened} on */
async function rotate(on) {
  if (performance.now() - on.rotatedMs < ROTATE_MS) return;
  on.rotatedMs = performance.now();
  await on.rotation.step();
}

/**
 * Claims from all partitions that a worker would look at.
 * @param {Opened} on
 * @param {{ limit: number, limitPerProject: number }} limits
 * @returns {Promise<{ message: any, claimId: string }[]>}
 */
async function claim({ claimer, rotation, afterKey }, { limit, limitPerProject }) {
  const leased = [];
  for (const part of rotation.claimed.due(performance.now())) {
    if (leased.length >= limit) break;
    const { claimId, messages, nextKey, openPart } = await claimer.claim({
      part,
      topics: TOPICS,
      throttledTopics: TOPICS,
      limit: limit - leased.length,
      limitPerKey: limitPerProject,
      freeOf: new Map(),
      freeOfTopic: new Map(),
      afterKey: afterKey.get(part) ?? LOWEST_KEY,
    });
    rotation.claimed.opened(openPart);
    afterKey.set(part, nextKey);
    if (messages.length === 0) rotation.claimed.foundNothing(part, performance.now());
    leased.push(...messages.map((/** @type {any} */ message) => ({ message, claimId })));
  }
  return leased;
}
