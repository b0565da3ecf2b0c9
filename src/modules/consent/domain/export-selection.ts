import type { DeliveryStateName } from './consent-recorded.js';
import type { RecordFilter } from './record-filter.js';

/** The columns of an export, in the order of the file; `additionalFields` is JSON. */
export const EXPORT_COLUMNS = [
  'id',
  'receivedAt',
  'analytics',
  'marketing',
  'preferences',
  'action',
  'hostname',
  'configHash',
  'language',
  'surface',
  'additionalFields',
] as const;

/** Selects records by time of receipt: `from` inclusive, `to` exclusive. */
export interface ExportSelection extends RecordFilter {
  projectId: string;
  from: Date;
  to: Date;
  delivery?: DeliveryStateName;
}

/** One record as texts, in the order of `EXPORT_COLUMNS`; empty if absent. */
export type ExportRow = string[];
