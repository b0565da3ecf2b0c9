import type { Readable } from 'node:stream';
import { type PdfDrawing, type PdfRenderer, streamOf } from '../../../platform/pdf/pdf-renderer.js';
import { EXPORT_COLUMNS, type ExportRow, PDF_RECORDS_MAX } from '../domain/record-filter.js';

export interface PdfCover {
  projectName: string;
  projectId: string;
  from: Date;
  to: Date;
  /** The filters as text; `none` without any. */
  filters: string;
  records: number;
  madeAt: Date;
  /** The order of the records, and the format that contains all of them if the table doesn't. */
  first: 'oldest' | 'newest';
  whole: 'csv' | 'json';
}

export interface RecordsPage {
  cover: PdfCover;
  /** At most `PDF_RECORDS_MAX`. */
  rows: ExportRow[];
}

const RECORDS_PDF: PdfDrawing<RecordsPage> = {
  module: new URL('./records-pdf.js', import.meta.url).href,
  name: 'drawRecords',
};
/** The table does not show the additional fields, which may be large. */
const SHOWN_COLUMNS = EXPORT_COLUMNS.indexOf('additionalFields');

/**
 * A PDF of records. Reads only as many as the table shows.
 * @throws DomainError `overloaded`; ClientDisconnected; any error of the batches
 */
export async function recordsPdf(
  pdfs: PdfRenderer,
  { cover, batches }: { cover: PdfCover; batches: AsyncIterable<ExportRow[]> },
  gone: AbortSignal,
): Promise<Readable> {
  const rows: ExportRow[] = [];
  for await (const batch of batches) {
    for (const row of batch.slice(0, PDF_RECORDS_MAX - rows.length)) rows.push(row.slice(0, SHOWN_COLUMNS));
    if (rows.length >= PDF_RECORDS_MAX || gone.aborted) break;
  }
  return streamOf(await pdfs.render(RECORDS_PDF, { cover, rows }, gone));
}
