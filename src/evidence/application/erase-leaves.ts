import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RecordsErased } from '../../consent/domain/erasure.js';

/** Forgets where erased records stand; their commitments stay in the logs, and tell nothing without the salts. */
export async function forgetLeaves(
  tx: EntityManager,
  { projectId, consentIds }: Pick<RecordsErased, 'projectId' | 'consentIds'>,
): Promise<void> {
  await sql`
    delete from evidence_leaf where project_id = ${projectId} and consent_id = any(${consentIds}::uuid[])
  `.execute(tx.getKysely());
}
