import type { DeliveryStateName } from './consent-recorded.js';

/** Filters records of a list or an export; absent members match all records. */
export interface RecordFilter {
  /** Received at this instant or later. */
  from?: Date;
  /** Received before this instant. */
  to?: Date;
  action?: string;
  hostname?: string;
  analytics?: boolean;
  marketing?: boolean;
  preferences?: boolean;
  configHash?: string;
  /** Case-insensitive. */
  language?: string;
  surface?: string;
}

/** The columns of an export, in the order of the file; `additionalFields` and `services` are JSON. */
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
  'services',
  // Empty unless the record was imported.
  'givenAt',
  'importId',
  'originalId',
] as const;

/** Records in the table of a PDF; a sentence names the format with the others. */
export const PDF_RECORDS_MAX = 5_000;

/** Selects records by time of receipt: `from` inclusive, `to` exclusive. */
export interface ExportSelection extends RecordFilter {
  projectId: string;
  from: Date;
  to: Date;
  delivery?: DeliveryStateName;
}

/** Counts of records: all, by choice, and by category that was allowed. */
export type RecordCounts = Record<
  'records' | 'accept_all' | 'reject_all' | 'custom' | 'withdraw' | 'analytics' | 'marketing' | 'preferences',
  number
>;

/** One record as texts, in the order of `EXPORT_COLUMNS`; empty if absent. */
export type ExportRow = string[];
