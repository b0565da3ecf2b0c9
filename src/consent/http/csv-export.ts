import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { EXPORT_COLUMNS, type ExportRow } from '../application/consent-export.js';
import { neutraliseCell } from '../domain/csv-cell.js';

/** Rows that are written in one go: some milliseconds, between which visitors are answered. */
const CHUNK_ROWS = 500;
const BYTE_ORDER_MARK = '\uFEFF';
/** Columns that hold what a visitor's browser sent; the others cannot begin like a formula. */
const FREE_COLUMNS = ['action', 'hostname', 'additionalFields'].map((name) =>
  EXPORT_COLUMNS.indexOf(name as (typeof EXPORT_COLUMNS)[number]),
);

/** A CSV file (RFC 4180), piece by piece; `bom` is for spreadsheets that take UTF-8 for something else. */
export async function* csvPieces(
  batches: AsyncIterable<ExportRow[]>,
  { bom }: { bom: boolean },
): AsyncGenerator<string> {
  yield (bom ? BYTE_ORDER_MARK : '') + csvOf([[...EXPORT_COLUMNS]]);
  for await (const rows of batches) {
    for (let begin = 0; begin < rows.length; begin += CHUNK_ROWS) {
      yield csvOf(rows.slice(begin, begin + CHUNK_ROWS).map(neutraliseRow));
      await nextTurn();
    }
  }
}

function neutraliseRow(row: ExportRow): ExportRow {
  for (const column of FREE_COLUMNS) row[column] = neutraliseCell(row[column] ?? '');
  return row;
}

function csvOf(rows: string[][]): string {
  return stringify(rows, { record_delimiter: 'windows' });
}
