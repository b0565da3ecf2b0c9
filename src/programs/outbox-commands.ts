import type { EntityManager } from '@mikro-orm/postgresql';
import {
  atMost,
  type Command,
  DRY_RUN,
  LISTED_MAX,
  oneOrAll,
  OperatorError,
  print,
  UsageError,
} from '../platform/operations/operator-command.js';
import type { OutboxStore, Revived } from '../platform/outbox/infrastructure/outbox.store.js';

const LETTER_ID = /^\d{1,15}$/;

/** Writes further changes when letters of a topic are requeued, in the same transaction. */
export type WhenRevived = (tx: EntityManager, letters: Revived[]) => Promise<void>;

/** The dead letters of the outbox: messages of any topic that failed too often. */
export function outboxCommands(whenRevived: ReadonlyMap<string, WhenRevived>): Command[] {
  return [
    {
      name: 'outbox dead',
      synopsis: '',
      summary: 'list the dead letters, oldest first',
      options: {},
      prepare: (parsed) => {
        atMost(0, parsed);
        return async ({ orm }) => list(await createStore(orm.em));
      },
    },
    {
      name: 'outbox retry',
      synopsis: '<id> | --all  [--dry-run]',
      summary: 'move a dead letter, or all of them, back to the outbox',
      options: { all: { type: 'boolean' }, ...DRY_RUN },
      prepare: (parsed) => {
        const which = oneOrAll(parsed, 'the id of a dead letter');
        atMost(1, parsed);
        const id = which === 'all' ? null : requireDeadLetterId(parsed.args[0] ?? '');
        return async ({ orm }) => {
          const dryRun = parsed.values['dry-run'] === true;
          const store = await createStore(orm.em);
          const count = dryRun
            ? await store.countDeadLetters(id)
            : await orm.em.fork().transactional((tx) => revive(tx, { store, id, whenRevived }));
          if (id !== null && count === 0) throw new OperatorError(`Dead letter ${id} not found.`);
          print(
            dryRun
              ? `Would retry ${count}.`
              : `Retrying ${count}; a worker picks them up within the poll interval.`,
          );
        };
      },
    },
  ];
}

async function createStore(em: EntityManager): Promise<OutboxStore> {
  const { OutboxStore: Store } = await import('../platform/outbox/infrastructure/outbox.store.js');
  return new Store(em);
}

async function list(store: OutboxStore): Promise<void> {
  const letters = await store.deadLetters(LISTED_MAX);
  if (letters.length === 0) print('No dead letters.');
  for (const { projectId, id, topic, subjectId, payload, failures, lastError, diedAt } of letters) {
    const about =
      projectId === null ? (payload?.['eventId'] ?? subjectId) : `project ${projectId} ${subjectId}`;
    print(
      `${diedAt.toISOString()}  ${id}  ${topic}  ${String(about)}  ${failures} failures: ${lastError ?? 'no error recorded'}`,
    );
  }
}

async function revive(
  tx: EntityManager,
  {
    store,
    id,
    whenRevived,
  }: { store: OutboxStore; id: number | null; whenRevived: ReadonlyMap<string, WhenRevived> },
): Promise<number> {
  const { WHOLE_SERVICE, writeAudit } = await import('../modules/audit/audit.log.js');
  const revived = await store.revive(tx, id);
  for (const [projectId, letters] of Map.groupBy(revived, (letter) => letter.projectId ?? WHOLE_SERVICE)) {
    const after = { messages: letters.length, topics: [...new Set(letters.map(({ topic }) => topic))] };
    await writeAudit(tx, { kind: 'operator', id: null }, { projectId, action: 'outbox.retry', after });
  }
  for (const [topic, letters] of Map.groupBy(revived, (letter) => letter.topic)) {
    await whenRevived.get(topic)?.(tx, letters);
  }
  return revived.length;
}

function requireDeadLetterId(id: string): number {
  if (!LETTER_ID.test(id))
    throw new UsageError(`"${id}" is not the id of a dead letter: it must be a number.`);
  return Number(id);
}
