import { stringify } from 'csv-stringify/sync';

/**
 * Rows of a CSV file (RFC 4180), every cell quoted. Cells that begin like a formula, also with
 * full-width signs, get an apostrophe in front.
 */
export function formatCsv(rows: string[][]): string {
  return stringify(rows, {
    record_delimiter: 'windows',
    escape_formulas: true,
    quoted: true,
    quoted_empty: true,
  });
}
