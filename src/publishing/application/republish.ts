import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { OutboxService } from '../../outbox/outbox.service.js';
import { configurationChangedMessage } from '../publishing.events.js';

/** Projects of one statement. */
const BATCH_MAX = 10_000;

/**
 * Has one project published once more, or all of them (null): after a new loader, another PUBLIC_BASE_URL or
 * another storage. Returns how many projects it found; with `dryRun` it changes nothing.
 */
export async function republish(
  em: EntityManager,
  outbox: OutboxService,
  projectId: string | null,
  { dryRun }: { dryRun: boolean },
): Promise<number> {
  const fork = em.fork();
  let found = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await nextProjects(projectId, after).execute(fork.getKysely());
    if (!dryRun) {
      await fork.transactional((tx) =>
        outbox.appendMany(
          tx,
          rows.map(({ id }) => configurationChangedMessage(id)),
        ),
      );
    }
    found += rows.length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < BATCH_MAX) return found;
  }
}

function nextProjects(projectId: string | null, after: string): RawBuilder<{ id: string }> {
  return sql<{ id: string }>`
    select id from project where id > ${after}::uuid and (${projectId}::uuid is null or id = ${projectId}::uuid)
    order by id limit ${BATCH_MAX}
  `;
}
