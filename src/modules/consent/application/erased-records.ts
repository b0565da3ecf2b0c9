import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { readProjects } from '../../projects/project.rows.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { parseInstant } from '../../../platform/time/instant.js';
import type { ErasureListener } from '../consent.hooks.js';
import { ERASE_BATCH_MAX } from '../domain/erasure.js';
import { erasedAfter, type ErasedConsent } from '../infrastructure/erasure.rows.js';
import { existingRecords } from '../infrastructure/record.rows.js';
import { EraseRecords } from './erase-records.js';

/** A line of the file is invalid. The lines before it have been applied. */
export class UnreadableLine extends Error {}

const BATCH_ROWS = 1000;
const LOWEST = '00000000-0000-0000-0000-000000000000';

/** All records erased since an instant, by project and id. Each batch is a separate query. */
export async function* erasedSince(em: EntityManager, since: Date): AsyncGenerator<ErasedConsent> {
  let after = { projectId: LOWEST, consentId: LOWEST };
  for (;;) {
    const rows = await erasedAfter(em.fork(), after, { since, limit: BATCH_ROWS });
    yield* rows;
    if (rows.length < BATCH_ROWS) return;
    after = rows.at(-1) ?? after;
  }
}

/** The lines of a file that `erasures list` printed. @throws UnreadableLine */
export async function* linesOf(file: string): AsyncGenerator<ErasedConsent> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
    number += 1;
    if (line.trim() === '') continue;
    const [projectId, consentId, instant] = line.trim().split(' ');
    const erasedAt = parseInstant(instant);
    if (!isUuid(projectId) || !isUuid(consentId) || !erasedAt)
      throw new UnreadableLine(`Line ${number} of the file is not output of "erasures list".`);
    yield { projectId, consentId, erasedAt };
  }
}

/**
 * Erases the listed records that exist, batch by batch, with everything stored about them. Receivers are not notified
 * again. Returns how many were listed and how many existed. A dry run changes nothing.
 */
export async function reapply(
  em: EntityManager,
  listed: AsyncIterable<ErasedConsent>,
  { listeners, dryRun }: { listeners: readonly ErasureListener[]; dryRun: boolean },
): Promise<{ listed: number; erased: number }> {
  const outbox = OutboxService.appendOnly(em, { topics: [] });
  const records = new EraseRecords(listeners, outbox);
  let [listedCount, erased] = [0, 0];
  const flush = async (projectId: string, consentIds: string[]): Promise<void> => {
    listedCount += consentIds.length;
    erased += await eraseAgain(em, { records, projectId, consentIds, dryRun });
  };
  let batch: { projectId: string; consentIds: string[] } | null = null;
  for await (const { projectId, consentId } of listed) {
    if (batch && (batch.projectId !== projectId || batch.consentIds.length === ERASE_BATCH_MAX)) {
      await flush(batch.projectId, batch.consentIds);
      batch = null;
    }
    batch ??= { projectId, consentIds: [] };
    batch.consentIds.push(consentId);
  }
  if (batch) await flush(batch.projectId, batch.consentIds);
  return { listed: listedCount, erased };
}

async function eraseAgain(
  em: EntityManager,
  work: { records: EraseRecords; projectId: string; consentIds: string[]; dryRun: boolean },
): Promise<number> {
  const { records, projectId, consentIds, dryRun } = work;
  return em.fork().transactional(async (tx) => {
    // The project is deleted, and its records with it.
    if ((await readProjects(tx, [projectId])).length === 0) return 0;
    if (dryRun) return (await existingRecords(tx, projectId, consentIds)).length;
    const options = { limit: ERASE_BATCH_MAX, isReapplied: true };
    const erased = await records.erase(tx, { projectId, consentIds }, options);
    if (erased.length === 0) return 0;
    const after = { reason: 'erasures reapply', records: erased.length };
    await writeAudit(tx, { kind: 'operator', id: null }, { projectId, action: 'consent.erase', after });
    return erased.length;
  });
}
