import type { Edit } from './build.js';
import type { FaultKind } from './plan.js';

/** A service that is broken on purpose, and the rules of the lab that must notice it. */
export interface Break {
  name: string;
  edits: Edit[];
  /** The rounds that bring it to light. */
  kinds: FaultKind[];
  rounds: number;
  /** Words of the rules that must be broken. */
  noticedBy: string[];
}

const WRITER = 'src/consent/infrastructure/consent-writer.ts';
const CLAIMER = 'src/outbox/infrastructure/outbox.claimer.ts';
const STORE = 'src/outbox/infrastructure/outbox.store.ts';
const SETTLER = 'src/outbox/application/outbox.settler.ts';
const OUTCOME = 'src/forwarding/domain/outcome.ts';

export const BREAKS: Break[] = [
  {
    name: 'acknowledges before the commit',
    edits: [
      {
        file: WRITER,
        from: `this.waiting.add({ row, deadlineAt: performance.now() + WAIT_MAX_MS, resolve, reject });`,
        to: `resolve({ kind: 'inserted', receivedAt: new Date() });
      setTimeout(() => {
        const ignore = () => {};
        this.waiting.add({ row, deadlineAt: performance.now() + WAIT_MAX_MS, resolve: ignore, reject: ignore });
      }, 50);`,
      },
    ],
    kinds: ['kill-api'],
    rounds: 2,
    noticedBy: ['every acknowledged record is stored'],
  },
  {
    name: "stores under an id of its own, not the banner's",
    edits: [
      {
        file: 'src/consent/application/consent.service.ts',
        from: 'id: consent.id ?? newId()',
        to: 'id: newId()',
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['every acknowledged record is stored', 'nothing is stored that nobody sent'],
  },
  {
    name: 'writes no message for one record in twenty',
    edits: [
      {
        file: 'src/consent/infrastructure/consent-statement.ts',
        from: 'where judged.unannounced is null',
        to: 'where judged.unannounced is null and random() < 0.95',
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['every record stored with forwarding on was attempted'],
  },
  {
    name: 'deletes a message when it is claimed',
    edits: [
      {
        file: CLAIMER,
        from: `update outbox_message m
      set claim_id = $6::uuid, available_at = now() + make_interval(secs => $7::float8),
          unknown_outcomes = m.unknown_outcomes + 1
      where `,
        to: 'delete from outbox_message m where $6::uuid is not null and $7::float8 > 0 and ',
      },
      {
        file: CLAIMER,
        from: 'm.unknown_outcomes - 1 as "unknownOutcomes"',
        to: 'm.unknown_outcomes as "unknownOutcomes"',
      },
      {
        file: STORE,
        from: 'return new Set(rows.map((row) => leaseKey({ message: row, claimId: row.claimId })));',
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
    edits: [
      {
        file: 'src/forwarding/application/consent-forwarder.ts',
        from: "return `case when p.tier not in (${tiers}) then 'tier'",
        to: "return `case when true then null when p.tier not in (${tiers}) then 'tier'",
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['nothing of a project with forwarding off'],
  },
  {
    name: 'takes a failed connection for a delivery',
    edits: [
      {
        file: OUTCOME,
        from: `return { outcome: 'failed', category: answer.category, reason: answer.reason, httpStatus: null };`,
        to: `return { outcome: 'delivered', httpStatus: 200 };`,
      },
    ],
    kinds: ['dns-fails'],
    rounds: 2,
    noticedBy: ['whatever is logged as delivered was received'],
  },
  {
    name: 'logs some deliveries under a wrong id',
    edits: [
      {
        file: 'src/forwarding/application/settle-deliveries.ts',
        from: 'settled.map(({ message }) => message.subjectId)',
        to: 'settled.map(({ message }) => (Math.random() < 0.05 ? v7() : message.subjectId))',
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['no delivery without a record', 'every record stored with forwarding on was attempted'],
  },
  {
    name: 'writes the log and the end of the message in two transactions',
    edits: [
      {
        file: SETTLER,
        from: 'private async write(batch: Finished[]): Promise<void> {',
        to: `private async write(batch: Finished[]): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      for (const [topic, entries] of Map.groupBy(batch, (entry) => entry.leased.message.topic))
        await this.outbox.handlerOf(topic)
          .settle(tx, entries.map(({ leased, outcome }) => ({ message: leased.message, outcome })));
    });
    await new Promise((wake) => setTimeout(wake, 200));`,
      },
      {
        file: SETTLER,
        from: 'const ours = batch.filter((entry) => removed.has(leaseKey(entry.leased)));',
        to: 'const ours: Finished[] = batch.filter((entry) => !removed && leaseKey(entry.leased));',
      },
    ],
    kinds: ['kill-worker'],
    rounds: 2,
    noticedBy: ['no record is in the log twice'],
  },
  {
    name: 'leases for less time than an attempt takes',
    edits: [
      {
        file: CLAIMER,
        from: 'settings.leaseMs / 1000',
        to: 'settings.leaseMs / 100_000',
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['taken over only where a worker was away'],
  },
  {
    name: 'settles without looking whose claim it is',
    edits: [{ file: STORE, from: ' and o.claim_id = done.claim_id', to: '' }],
    kinds: ['stop-worker-past-lease'],
    rounds: 3,
    noticedBy: ['settled by the worker that holds it'],
  },
  {
    name: 'sends everything twice',
    edits: [
      {
        file: 'src/forwarding/infrastructure/sender.ts',
        from: 'let end = await new Exchange(request, deadlineAt, signal).run(this.agent);',
        to: `await new Exchange(request, deadlineAt, signal).run(this.agent);
    let end = await new Exchange(request, deadlineAt, signal).run(this.agent);`,
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['received more often than it was claimed', 'duplicates are at most what was in flight'],
  },
  {
    name: 'never takes over what a dead worker held',
    edits: [
      {
        file: CLAIMER,
        from: 'm.available_at <= now() and m.topic',
        to: 'm.available_at <= now() and m.unknown_outcomes = 0 and m.topic',
      },
    ],
    kinds: ['kill-worker'],
    rounds: 2,
    noticedBy: ['the outbox is empty', 'every record stored with forwarding on was attempted'],
  },
  {
    name: 'throws on a receiver that resets, and buries the message at once',
    edits: [
      {
        file: OUTCOME,
        from: `if (answer.kind === 'error') {`,
        to: `if (answer.kind === 'error') {
    throw new Error('a bug');`,
      },
      { file: SETTLER, from: 'OUTBOX_FAILURES_MAX = 8', to: 'OUTBOX_FAILURES_MAX = 1' },
    ],
    kinds: ['receiver-resets'],
    rounds: 1,
    noticedBy: ['there are no dead letters', 'every record stored with forwarding on was attempted'],
  },
  {
    name: 'answers 500 when the database is away',
    edits: [
      {
        file: 'src/shared/postgres-error.ts',
        from: 'export function isConnectionFailure(error: unknown): boolean {',
        to: `export function isConnectionFailure(error: unknown): boolean {
  if (error) return false;`,
      },
    ],
    kinds: ['kill-postgres'],
    rounds: 1,
    noticedBy: ['callers see nothing but'],
  },
  {
    name: 'drops one connection in twenty',
    edits: [
      {
        file: 'src/main.ts',
        from: 'await runApi();',
        to: `const { Server } = await import('node:http');
const emit = Server.prototype.emit;
Server.prototype.emit = function (event, ...rest) {
  if (event !== 'request' || Math.random() > 0.05) return emit.call(this, event, ...rest);
  rest[0].socket.destroy();
  return true;
};
await runApi();`,
      },
    ],
    kinds: ['flush-redis'],
    rounds: 1,
    noticedBy: ['callers see nothing but'],
  },
  {
    name: 'ends when the database goes away',
    edits: [
      {
        file: WRITER,
        from: 'unreachable: (error) => this.unreachable.about(error)',
        to: 'unreachable: () => process.exit(3)',
      },
    ],
    kinds: ['kill-postgres'],
    rounds: 1,
    noticedBy: ['no process ends by itself'],
  },
  {
    name: 'gives Redis up once it was away',
    edits: [{ file: 'src/shared/queue.ts', from: 'return REDIS_RETRY_MS;', to: 'return null;' }],
    kinds: ['kill-redis'],
    rounds: 1,
    noticedBy: ['everything is ready again after each round'],
  },
];
