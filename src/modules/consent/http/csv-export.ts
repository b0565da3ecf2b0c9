import { setImmediate as nextTurn } from 'node:timers/promises';
import { formatCsv } from '../../../platform/export/csv.js';
import { EXPORT_COLUMNS, type ExportRow } from '../domain/export-selection.js';

/** Rows written at a time: takes some milliseconds, between which other requests are served. */
const CHUNK_ROWS = 500;
const BYTE_ORDER_MARK = '\uFEFF';
/** The only column that can contain a semicolon. */
const JSON_COLUMN = EXPORT_COLUMNS.indexOf('additionalFields');

/**
 * A CSV file (RFC 4180), piece by piece; `bom` is for spreadsheets that would otherwise misdetect
 * UTF-8.
 */
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

/**
 * JSON can escape a semicolon, so a reader that splits there despite the quotes finds no extra
 * cell.
 */
function withoutSemicolons(row: ExportRow): ExportRow {
  row[JSON_COLUMN] = (row[JSON_COLUMN] ?? '').replaceAll(';', '\\u003b');
  return row;
}
