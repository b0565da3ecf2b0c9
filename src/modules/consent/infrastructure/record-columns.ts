import { type RawBuilder, sql } from 'kysely';
import type { ConsentRecorded } from '../domain/consent-recorded.js';

const COLUMNS: Record<keyof ConsentRecorded, string> = {
  id: 'id',
  projectId: 'project_id',
  analytics: 'analytics',
  marketing: 'marketing',
  preferences: 'preferences',
  action: 'action',
  hostname: 'hostname',
  customEndpoint: 'custom_endpoint',
  configHash: 'config_hash',
  language: 'language',
  surface: 'surface',
  extra: 'extra',
  receivedAt: 'received_at',
  skippedReason: 'skipped_reason',
  salt: 'salt',
};

/** The select list that reads a `ConsentRecorded` from `consent_record c`. */
export const RECORD_COLUMNS = sql.join(
  Object.entries(COLUMNS).map(([member, column]) => sql`${sql.ref(`c.${column}`)} as ${sql.id(member)}`),
);

/** The members of a `ConsentRecorded`, in the order of `RECORD_COLUMNS`. */
export const RECORD_MEMBERS = sql.join(Object.keys(COLUMNS).map((member) => sql.id(member)));

/** The same columns for a query without a record: null, except the given expressions. */
export function columnsWithoutRecord(
  known: Partial<Record<keyof ConsentRecorded, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  return sql.join(Object.keys(COLUMNS).map((member) => known[member as keyof ConsentRecorded] ?? sql`null`));
}
