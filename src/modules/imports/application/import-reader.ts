import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import type { ImportProfile } from '../domain/import.js';
import { type ImportRules, type JudgedConsent, judgeImportedRows } from '../domain/judge-rows.js';
import type { Position, Refusal, SampleRow } from '../domain/progress.js';
import { partsOf, PART_BYTES } from '../domain/import.js';
import type { ImportRef, ImportRow } from '../infrastructure/import.rows.js';
import { type FileKey, ImportStorage } from '../infrastructure/import-storage.js';
import { readGroups, type SourceGroup } from './read-rows.js';
import type { FileSource } from './unpack.js';

/** Consents of one transaction. */
const BATCH_CONSENTS = 500;
/** Rows of one transaction, where a consent has many. */
const BATCH_ROWS = 5_000;
/** Decrypted parts in memory: an archive is read in order, and its directory is at the end. */
const PARTS_IN_MEMORY = 2;

/** Consents and refused rows up to a position. */
export interface ReadBatch {
  rows: number;
  consents: { consent: JudgedConsent; refusal: Refusal; givenAt: Date }[];
  refusals: Refusal[];
  /** Consents that the same batch has already. */
  repeated: number;
  unmapped: string[];
  dropped: Map<string, number>;
  position: Position;
}

/** Reads the stored parts of an import as one file. */
export class PartsSource implements FileSource {
  private readonly memory = new Map<number, Promise<Buffer>>();
  /** End of the last range that was read in order. */
  bytesRead = 0;

  constructor(
    private readonly storage: ImportStorage,
    private readonly file: ImportRef & {
      size: number;
      key: FileKey;
      hashes: readonly string[];
      /** Reading rejects once it is aborted. */
      signal: AbortSignal;
    },
  ) {}

  get size(): number {
    return this.file.size;
  }

  async read(start: number, end: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let at = start; at < end;) {
      const number = Math.floor(at / PART_BYTES) + 1;
      const begin = (number - 1) * PART_BYTES;
      const part = await this.part(number);
      const piece = part.subarray(at - begin, Math.min(part.length, end - begin));
      pieces.push(piece);
      at += piece.length;
    }
    if (start === this.bytesRead || start === 0) this.bytesRead = end;
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }

  /** SHA-256 of the whole file, in hex. */
  async hash(): Promise<string> {
    const hash = createHash('sha256');
    for (let number = 1; number <= partsOf(this.size).count; number++) {
      hash.update(await this.part(number));
    }
    return hash.digest('hex');
  }

  private part(number: number): Promise<Buffer> {
    const { key, hashes, signal } = this.file;
    signal.throwIfAborted();
    const known = this.memory.get(number);
    if (known) return known;
    const read = this.storage.readPart(this.file, key, { number, sha256: hashes[number - 1] ?? '' });
    // A failed read is repeated by the next attempt.
    read.catch(() => this.memory.delete(number));
    this.memory.set(number, read);
    for (const oldest of this.memory.keys()) {
      if (this.memory.size <= PARTS_IN_MEMORY) break;
      this.memory.delete(oldest);
    }
    return read;
  }
}

/** The batches of a file after a position. @throws ImportFileError */
export async function* readBatches(
  file: FileSource,
  profile: ImportProfile,
  { from, rules }: { from: Position; rules: ImportRules },
): AsyncGenerator<ReadBatch> {
  let batch = newBatch(from);
  const known = new Map<string, string>();
  for await (const group of readGroups(file, profile, from)) {
    addGroup(batch, known, { group, rules });
    if (batch.consents.length + batch.refusals.length < BATCH_CONSENTS && batch.rows < BATCH_ROWS) continue;
    yield batch;
    batch = newBatch(batch.position);
    known.clear();
  }
  if (batch.rows > 0) yield batch;
}

function newBatch(position: Position): ReadBatch {
  return { rows: 0, consents: [], refusals: [], repeated: 0, unmapped: [], dropped: new Map(), position };
}

function addGroup(
  batch: ReadBatch,
  known: Map<string, string>,
  { group, rules }: { group: SourceGroup; rules: ImportRules },
): void {
  batch.rows += group.rows.length;
  batch.position = group.after;
  for (const { dropped } of group.rows)
    for (const name of dropped) batch.dropped.set(name, (batch.dropped.get(name) ?? 0) + 1);
  const [first] = group.rows;
  if (!first) return;
  const refusal = (reason: Refusal['reason'], originalId = ''): Refusal => ({
    entry: first.entry,
    row: first.row,
    reason,
    originalId,
  });
  const fields = group.rows.flatMap(({ fields: each }) => (each ? [each] : []));
  if (fields.length < group.rows.length) return void batch.refusals.push(refusal('unreadable'));
  if (group.isTooLong) return void batch.refusals.push(refusal('too_many_rows'));
  const judged = judgeImportedRows(fields, first.choices, rules);
  batch.unmapped.push(...judged.unmapped);
  if (judged.kind === 'refused') return void batch.refusals.push(refusal(judged.reason, judged.originalId));
  const { consent, givenAt } = judged;
  const { visitor: _, ...content } = consent;
  const text = JSON.stringify(content);
  const before = known.get(consent.id);
  if (before === text) batch.repeated += 1;
  else if (before !== undefined) batch.refusals.push(refusal('conflict', consent.originalId));
  else {
    known.set(consent.id, text);
    batch.consents.push({ consent, givenAt, refusal: refusal('conflict', consent.originalId) });
  }
}

export function sampleOf(batch: ReadBatch): SampleRow[] {
  return batch.consents.map(({ consent, givenAt }) => {
    const { visitor: _, ...shown } = consent;
    return { ...shown, givenAt: givenAt.toISOString() };
  });
}

const REFUSAL_COLUMNS = ['file', 'row', 'reason', 'originalId'];

/** Rows of the file of refused rows; a spreadsheet runs no formulas of them. */
export function refusalsAsCsv(refusals: readonly Refusal[]): string {
  return stringify(
    refusals.map(({ entry, row, reason, originalId }) => [entry, row, reason, originalId]),
    { escape_formulas: true },
  );
}

/** Streams the file of refused rows. */
@Injectable()
export class RefusedRows {
  constructor(private readonly storage: ImportStorage) {}

  async *pieces(row: ImportRow, key: FileKey): AsyncGenerator<string | Buffer> {
    yield stringify([REFUSAL_COLUMNS]);
    for (let chunk = 1; chunk <= (row.progress?.refusalChunks ?? 0); chunk++)
      yield await this.storage.readRefusals(row, key, chunk);
  }
}
