import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RecordsErased } from '../../consent/domain/erasure.js';

/** Deletes the leaf indexes of erased records. Their commitments stay in the logs; without the salts they reveal nothing. */
export async function eraseLeaves(
  tx: EntityManager,
  { projectId, consentIds }: RecordsErased,
): Promise<void> {
  await sql`
    delete from evidence_leaf where project_id = ${projectId} and consent_id = any(${consentIds}::uuid[])
  `.execute(tx.getKysely());
}
