import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ConsentRecorded } from '../domain/consent-recorded.js';

/** A record of an earlier day, in the form of the ingest. */
export type PastRecord = Omit<
  ConsentRecorded,
  'projectId' | 'customEndpoint' | 'skippedReason' | 'salt' | 'importId' | 'originalId'
>;

/** Whether the project has records with this additional field. */
export async function hasRecordsMarked(
  em: EntityManager,
  projectId: string,
  field: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from consent_record where project_id = ${projectId} and extra ? ${field} limit 1
  `.execute(em.getKysely());
  return rows.length > 0;
}

/** Stores records of past days, without queueing them. */
export async function insertRecords(
  tx: EntityManager,
  projectId: string,
  records: PastRecord[],
): Promise<void> {
  await sql`
    insert into consent_record
      (project_id, id, analytics, marketing, preferences, action, hostname, extra, received_at, config_hash,
       language, surface, services)
    select ${projectId}::uuid, r.id, r.analytics, r.marketing, r.preferences, r.action, r.hostname, r.extra,
           r."receivedAt", r."configHash", r.language, r.surface, r.services
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as r (
      id uuid, analytics boolean, marketing boolean, preferences boolean, action text, hostname text, extra jsonb,
      "receivedAt" timestamptz, "configHash" text, language text, surface text, services jsonb
    )
  `.execute(tx.getKysely());
}
