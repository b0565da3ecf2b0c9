import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeZip } from 'client-zip';
import { formatCsv } from '../../../platform/export/csv.js';
import type { ExportProver } from '../consent.hooks.js';
import { EXPORT_COLUMNS, type ExportRow } from '../domain/record-filter.js';

/** Rows written at a time: takes some milliseconds, between which other requests are served. */
const CHUNK_ROWS = 500;
const BYTE_ORDER_MARK = '\uFEFF';
/** The only column that can contain a semicolon. */
const JSON_COLUMN = EXPORT_COLUMNS.indexOf('additionalFields');

/** A CSV file (RFC 4180), piece by piece; `bom` is for spreadsheets that would otherwise misdetect UTF-8. */
export async function* csvPieces(
  batches: AsyncIterable<ExportRow[]>,
  { bom }: { bom: boolean },
): AsyncGenerator<string> {
  yield (bom ? BYTE_ORDER_MARK : '') + formatCsv([[...EXPORT_COLUMNS]]);
  for await (const rows of batches) {
    for (let begin = 0; begin < rows.length; begin += CHUNK_ROWS) {
      yield formatCsv(rows.slice(begin, begin + CHUNK_ROWS).map(withoutSemicolons));
      await nextTurn();
    }
  }
}

/** JSON can escape a semicolon, so a reader that splits there despite the quotes finds no extra cell. */
function withoutSemicolons(row: ExportRow): ExportRow {
  row[JSON_COLUMN] = (row[JSON_COLUMN] ?? '').replaceAll(';', '\\u003b');
  return row;
}

/** A ZIP of fewer than 65,535 files needs no ZIP64, so every program can open it. */
export const PROVED_RECORDS_MAX = 50_000;
/** Records proved at a time: takes some 20 ms, between which other requests are served. */
const PROVED_AT_ONCE = 200;
/** Size of a chunk: the library emits four small ones per file. */
const PIECE_BYTES = 64 * 1024;

/** The files beside the records. */
interface ZipCover {
  /** The project's. */
  id: string;
  name: string;
  madeAt: Date;
  /** The address of the keys. */
  serviceUrl: string;
  csv: { name: string; bom: boolean };
}

/**
 * A ZIP as a stream: the CSV, a proof for each record that has one, and a text that explains how to
 * check them and which records have none. Only the ids are kept until their proofs are written;
 * nothing is read ahead.
 */
export async function* zipPieces(
  cover: ZipCover,
  batches: AsyncIterable<ExportRow[]>,
  prover: ExportProver,
): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of makeZip(files(cover, batches, prover))) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  yield Buffer.concat(waiting);
}

/** A record without a proof. */
interface Missing {
  id: string;
  /** A sentence. */
  why: string;
}

/** The content of each file is consumed before the next file starts. */
async function* files(
  cover: ZipCover,
  batches: AsyncIterable<ExportRow[]>,
  prover: ExportProver,
): AsyncGenerator<{ name: string; lastModified: Date; input: string | AsyncIterable<string> }> {
  const { madeAt: lastModified, csv } = cover;
  const ids: string[] = [];
  yield { name: csv.name, lastModified, input: csvPieces(noting(ids, batches), csv) };
  const missing: Missing[] = [];
  for (let begin = 0; begin < ids.length; begin += PROVED_AT_ONCE) {
    const batch = ids.slice(begin, begin + PROVED_AT_ONCE);
    const proved = await prover.prove(batch);
    for (const [at, id] of batch.entries()) {
      const each = proved[at] ?? { missing: '' };
      if ('proof' in each) yield { name: `proofs/${id}.tlog-proof`, lastModified, input: each.proof };
      else missing.push({ id, why: each.missing });
    }
    await nextTurn();
  }
  yield { name: 'README.txt', lastModified, input: readme(cover, ids.length, missing) };
}

/** Passes batches on and adds their ids to a list. */
async function* noting(ids: string[], batches: AsyncIterable<ExportRow[]>): AsyncGenerator<ExportRow[]> {
  for await (const rows of batches) {
    for (const [id = ''] of rows) ids.push(id);
    yield rows;
  }
}

function readme(
  { id, name, madeAt, serviceUrl, csv }: ZipCover,
  records: number,
  missing: readonly Missing[],
): string {
  const lists = [...Map.groupBy(missing, ({ why }) => why)].map(
    ([why, those]) => `\n${why}\n${those.map((each) => `  ${each.id}\n`).join('')}`,
  );
  return `Consent records of ${name} (${id}), created at ${madeAt.toISOString()}

${csv.name}: ${records} records, the same as in the export without proofs.
proofs/: ${records - missing.length} proofs, each named by its record's id.

A proof shows that its record, byte for byte, was stored by this service no later than a signed checkpoint, and that
no record in the log was changed or removed since. It does not prove who clicked. The CSV is not signed: only the
contents of the proofs are proved.

How to check them, without the service:
1. Keep the keys of ${serviceUrl}/.well-known/consent-log-keys as keys.txt. Whoever checks gets them there, or from
   somebody who did before, rather than from whoever gave him this file.
2. Take verify.cjs, one script without dependencies, from the folder verify/ of the service's source.
3. node verify.cjs proofs proofs/ keys.txt

It says how many of them hold, and names each that does not, with the step that failed.

${missing.length} records without a proof${missing.length === 0 ? '.' : ':'}
${lists.join('')}`;
}
