import type { Mutation } from '../support/rules/mutation.js';
import type { FaultKind } from './plan.js';

/** A service that is broken on purpose, and the rules of the lab that must notice it. */
export interface Break {
  name: string;
  mutations: Mutation[];
  /** The rounds that bring it to light. */
  kinds: FaultKind[];
  rounds: number;
  /** Words of the rules that must be broken. */
  noticedBy: string[];
}

export const BREAKS: Break[] = [
  {
    name: 'acknowledges before the commit',
    mutations: [
      {
        symbol: 'ConsentWriter.write',
        from: /this\.waiting\.add\(entry\);/,
        to: `resolve({ kind: 'inserted', receivedAt: new Date() });
      const ignore = () => {};
      setTimeout(() => this.waiting.add({ ...entry, resolve: ignore, reject: ignore }), 50);`,
      },
    ],
    kinds: ['kill-api'],
    rounds: 2,
    noticedBy: ['every acknowledged record is stored'],
  },
  {
    name: "stores under an id of its own, not the banner's",
    mutations: [{ symbol: 'ConsentService.record', from: /consent\.id \?\? newId\(\)/, to: 'newId()' }],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['every acknowledged record is stored', 'no stored record is one that was never sent'],
  },
  {
    name: 'writes no message for one record in twenty',
    mutations: [
      {
        symbol: 'APPENDED',
        from: /where skipped_reason is null/,
        to: 'where skipped_reason is null and random() < 0.95',
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['every record stored with forwarding on was attempted'],
  },
  {
    name: 'deletes a message when it is claimed',
    mutations: [
      {
        symbol: 'claimStatement',
        from: /update \$\{table\} m\s+set .*?\s+where /s,
        to: 'delete from ${table} m where $6::uuid is not null and $7::float8 > 0 and ',
      },
      { symbol: 'claimStatement', from: /m\.abandoned_attempts - 1 as/, to: 'm.abandoned_attempts as' },
      {
        symbol: 'OutboxStore.remove',
        from: /return removed;/,
        to: 'return new Set(leased.map((each) => leaseKey(each)));',
      },
    ],
    kinds: ['kill-worker'],
    rounds: 2,
    noticedBy: [
      'every record stored with forwarding on was attempted',
      'settled by the worker that holds it',
    ],
  },
  {
    name: 'writes messages also where forwarding is off',
    mutations: [
      {
        symbol: 'forwardingPredicate',
        from: /case when \$\{tier\}/,
        to: 'case when true then null when ${tier}',
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['nothing of a project with forwarding off'],
  },
  {
    name: 'takes a failed connection for a delivery',
    mutations: [
      {
        symbol: 'judgeResponse',
        from: /return \{ outcome: 'failed', category: answer\.category.*?\};/,
        to: `return { outcome: 'delivered', httpStatus: 200 };`,
      },
    ],
    kinds: ['dns-fails'],
    rounds: 2,
    noticedBy: ['every record logged as delivered was received'],
  },
  {
    name: 'logs some deliveries under a wrong id',
    mutations: [
      {
        symbol: 'insertion',
        from: /=> message\.subjectId\)/,
        to: '=> (Math.random() < 0.05 ? v7() : message.subjectId))',
      },
      {
        symbol: 'SINGLE_STATEMENT_SETTLEMENT',
        from: /delivery_id, subject_id,/,
        to: 'delivery_id, case when random() < 0.05 then gen_random_uuid() else subject_id end,',
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['no delivery without a record', 'every record stored with forwarding on was attempted'],
  },
  {
    name: 'writes the log and the end of the message in two transactions',
    mutations: [
      { symbol: 'OutboxSettler.settleInOneStatement', first: 'return batch;' },
      {
        symbol: 'OutboxSettler.writeTogether',
        first: `await this.em.fork().transactional(async (tx) => {
          for (const [topic, entries] of Map.groupBy(batch, (entry) => entry.leased.message.topic))
            await this.outbox.handlerOf(topic)
              .settle(tx, entries.map(({ leased, outcome }) => ({ message: leased.message, outcome })));
        });
        await new Promise((wake) => setTimeout(wake, 200));`,
      },
      {
        symbol: 'OutboxSettler.writeTogether',
        from: /const ours = batch\.filter\(\(entry\) => /,
        to: 'const ours = batch.filter((entry) => false && ',
      },
    ],
    kinds: ['kill-worker'],
    rounds: 2,
    noticedBy: ['no record is in the log twice'],
  },
  {
    name: 'leases for less time than an attempt takes',
    mutations: [{ symbol: 'OutboxClaimer.constructor', from: /leaseMs \/ 1000/, to: 'leaseMs / 100_000' }],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['taken over only where a worker was away'],
  },
  {
    name: 'settles without looking whose claim it is',
    mutations: [
      { symbol: 'settleStatement', from: / and m\.claim_id = given\.claim_id/, to: '' },
      { symbol: 'rowLocations', from: / and o\.claim_id = done\.claim_id/, to: '' },
    ],
    kinds: ['stop-worker-past-lease'],
    rounds: 3,
    noticedBy: ['settled by the worker that holds it'],
  },
  {
    name: 'sends everything twice',
    mutations: [
      {
        symbol: 'Sender.send',
        from: /let end = await make\(false\);/,
        to: 'await make(false); let end = await make(false);',
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['received more often than it was claimed', 'duplicates are at most the messages in flight'],
  },
  {
    name: 'never takes over what a dead worker held',
    mutations: [
      {
        symbol: 'claimStatement',
        from: /walk\.first_id\s+and m\.available_at <= now\(\)/,
        to: 'walk.first_id and m.available_at <= now() and m.abandoned_attempts = 0',
      },
    ],
    kinds: ['kill-worker'],
    rounds: 2,
    noticedBy: ['the outbox is empty', 'every record stored with forwarding on was attempted'],
  },
  {
    name: 'throws on a receiver that resets, and buries the message at once',
    mutations: [
      { symbol: 'judgeResponse', first: `if (answer.kind === 'error') throw new Error('a bug');` },
      { symbol: 'OUTBOX_FAILURES_MAX', value: '1' },
    ],
    kinds: ['receiver-resets'],
    rounds: 1,
    noticedBy: ['there are no dead letters', 'every record stored with forwarding on was attempted'],
  },
  {
    name: 'probes with four records at a time',
    mutations: [{ symbol: 'nextProbe', from: /batchLimit: 1 \}/, to: 'batchLimit: 4 }' }],
    kinds: ['receiver-away'],
    rounds: 1,
    noticedBy: ['a step costs one record at most'],
  },
  {
    name: 'never holds',
    mutations: [{ symbol: 'afterOutcome', from: /terms\.holdMs === 0/, to: 'terms.holdMs > 0' }],
    kinds: ['receiver-away'],
    rounds: 1,
    noticedBy: ['its projects are held'],
  },
  {
    name: 'forgets what waits when a hold begins',
    mutations: [
      {
        symbol: 'SettleHolds.write',
        first: `for (const { projectId, hold } of changes) if (hold.phase === 'open')
          await tx.getKysely().deleteFrom('outbox_message').where('ordering_key', '=', projectId)
            .where('claim_id', 'is', null).execute();`,
      },
    ],
    kinds: ['receiver-away'],
    rounds: 1,
    noticedBy: ['every record is attempted once or waits'],
  },
  {
    name: 'answers 500 when the database is away',
    mutations: [{ symbol: 'isConnectionFailure', first: 'if (error) return false;' }],
    kinds: ['kill-postgres'],
    rounds: 1,
    noticedBy: ['callers see nothing but'],
  },
  {
    name: 'drops one connection in twenty',
    mutations: [
      {
        symbol: 'runApi',
        first: `const { Server } = await import('node:http');
        const emit = Server.prototype.emit;
        Server.prototype.emit = function (event, ...rest) {
          if (event !== 'request' || Math.random() > 0.05) return emit.call(this, event, ...rest);
          rest[0].socket.destroy();
          return true;
        };`,
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['callers see nothing but'],
  },
  {
    name: 'ends when the database goes away',
    mutations: [
      {
        symbol: 'ConsentWriter.waiting',
        from: /unreachable: \(error\) => this\.unreachable\.warn\(error\)/,
        to: 'unreachable: () => process.exit(3)',
      },
    ],
    kinds: ['kill-postgres'],
    rounds: 1,
    noticedBy: ['no process exits unexpectedly'],
  },
  {
    name: 'gives Redis up once it was away',
    mutations: [{ symbol: 'QueueLifetime.nextAttempt', from: /return REDIS_RETRY_MS;/, to: 'return null;' }],
    kinds: ['kill-redis'],
    rounds: 1,
    noticedBy: ['everything is ready again after each round'],
  },
  {
    name: 'sequences up to now, including open transactions',
    mutations: [
      {
        symbol: 'committedHorizon',
        from: /pg_snapshot_xmin\(pg_current_snapshot\(\)\)/,
        to: `pg_snapshot_xmax(pg_current_snapshot())`,
      },
    ],
    kinds: ['receiver-500'],
    rounds: 2,
    noticedBy: ['every record is in the log of its project exactly once'],
  },
  {
    name: 'forgets which records are in the log',
    mutations: [
      {
        symbol: 'moveCursor',
        from: /after_xid = (\S+)::bigint/,
        to: `after_xid = $1::bigint - 100`,
      },
      { symbol: 'findSequenced', from: /return new Set\(.*\);/, to: 'return new Set();' },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['every record is in the log of its project exactly once'],
  },
  {
    name: 'forgets a retry when it is queued',
    mutations: [
      {
        symbol: 'RetryScheduler.queue',
        from: /queued\.map\(/,
        to: 'queued.slice(1).map(',
      },
    ],
    kinds: ['retrying-worker-lost'],
    rounds: 1,
    noticedBy: ['no record waits for a retry'],
  },
];
