import { NAMES_COUNTED_MAX, REFUSALS_SHOWN_MAX, type RefusalReason, SAMPLE_ROWS_MAX } from './import.js';
import type { JudgedConsent } from './judge-rows.js';

/** A position in the data of a file, after a whole consent. */
export interface Position {
  /** Index of the entry of the archive; 0 if the file is none. */
  entry: number;
  /** Bytes of the unpacked entry before it. */
  offset: number;
  /** Rows of the entry before it. */
  row: number;
  /** Unpacked bytes of all entries before this one. */
  before: number;
}

const START: Position = { entry: 0, offset: 0, row: 0, before: 0 };

/** A row that is not stored. */
export interface Refusal {
  /** File in the archive; empty if the file is none. */
  entry: string;
  /** From 1, without the header. */
  row: number;
  reason: RefusalReason;
  originalId: string;
}

/** A row of a dry run. */
export type SampleRow = Omit<JudgedConsent, 'visitor'> & { givenAt: string };

/** State of reading a file, stored with each batch. */
export interface Progress {
  position: Position;
  /** Bytes of the file that were read, of its size. */
  bytesRead: number;
  /** Objects of refused rows. */
  refusalChunks: number;
  refusals: Refusal[];
  reasons: Partial<Record<RefusalReason, number>>;
  /** Rows by name of a category or service without a mapping. */
  unmapped: Record<string, number>;
  /** Rows by name of a column that is not stored. */
  droppedColumns: Record<string, number>;
  sample: SampleRow[];
  /** Attempts in a row without a batch; missing: none since the last batch. */
  idleTries?: number;
}

export function emptyProgress(): Progress {
  return {
    position: START,
    bytesRead: 0,
    refusalChunks: 0,
    refusals: [],
    reasons: {},
    unmapped: {},
    droppedColumns: {},
    sample: [],
  };
}

/** The counts of one batch. */
export interface BatchReport {
  position: Position;
  bytesRead: number;
  refusals: readonly Refusal[];
  unmapped: readonly string[];
  dropped: ReadonlyMap<string, number>;
  sample: readonly SampleRow[];
}

export function advance(progress: Progress, batch: BatchReport): Progress {
  const reasons = { ...progress.reasons };
  for (const { reason } of batch.refusals) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const unmapped = { ...progress.unmapped };
  for (const name of batch.unmapped) count(unmapped, name, 1);
  const droppedColumns = { ...progress.droppedColumns };
  for (const [name, rows] of batch.dropped) count(droppedColumns, name, rows);
  return {
    position: batch.position,
    bytesRead: Math.max(progress.bytesRead, batch.bytesRead),
    refusalChunks: progress.refusalChunks + (batch.refusals.length > 0 ? 1 : 0),
    refusals: [...progress.refusals, ...batch.refusals].slice(0, REFUSALS_SHOWN_MAX),
    reasons,
    unmapped,
    droppedColumns,
    sample: [...progress.sample, ...batch.sample].slice(0, SAMPLE_ROWS_MAX),
  };
}

/** Longest counted name. */
const NAME_CHARACTERS_MAX = 100;

/** PostgreSQL's JSON has neither NUL nor half a surrogate pair. */
function count(counts: Record<string, number>, given: string, rows: number): void {
  const name = given.replaceAll('\0', '').slice(0, NAME_CHARACTERS_MAX).toWellFormed();
  const isKnown = Object.hasOwn(counts, name);
  if (name === '__proto__' || (!isKnown && Object.keys(counts).length >= NAMES_COUNTED_MAX)) return;
  counts[name] = (isKnown ? (counts[name] ?? 0) : 0) + rows;
}
