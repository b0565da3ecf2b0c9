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
  skippedReason: 'unannounced',
  salt: 'salt',
};

/** The select list that reads a `ConsentRecorded` from `consent_record c`. */
export const RECORD_COLUMNS = Object.entries(COLUMNS)
  .map(([member, column]) => `c.${column} as "${member}"`)
  .join(', ');

/** The members of a `ConsentRecorded`, in the order of `RECORD_COLUMNS`. */
export const RECORD_MEMBERS = Object.keys(COLUMNS)
  .map((member) => `"${member}"`)
  .join(', ');

/** The same columns for a query without a record, all null but those given as expressions. */
export function columnsWithoutRecord(known: Partial<Record<keyof ConsentRecorded, string>>): string {
  return Object.keys(COLUMNS)
    .map((member) => known[member as keyof ConsentRecorded] ?? 'null')
    .join(', ');
}
