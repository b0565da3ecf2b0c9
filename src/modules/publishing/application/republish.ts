import type { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { projectIdsAfter, readProjects } from '../../projects/project.rows.js';
import { configurationChangedMessage } from '../publishing.events.js';

/** Projects of one statement. */
const BATCH_MAX = 10_000;

/**
 * Publishes one project again, or all of them (null): after a new loader, another PUBLIC_BASE_URL
 * or another storage. Returns the number of projects found; with `dryRun` it changes nothing.
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
    const ids =
      projectId === null
        ? await projectIdsAfter(fork, after, BATCH_MAX)
        : (await readProjects(fork, [projectId])).map(({ id }) => id);
    if (!dryRun) {
      const messages = ids.map((id) => configurationChangedMessage(id));
      await fork.transactional(async (tx) => {
        await outbox.appendMany(tx, messages);
        if (ids.length === 0) return;
        await writeAudit(
          tx,
          { kind: 'operator', id: null },
          {
            ...(projectId !== null && { projectId }),
            action: 'configuration.publish',
            after: { projects: ids.length },
          },
        );
      });
    }
    found += ids.length;
    after = ids.at(-1) ?? after;
    if (ids.length < BATCH_MAX) return found;
  }
}
