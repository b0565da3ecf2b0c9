import type { Readable } from 'node:stream';
import type { MessageLanguage } from '../../../platform/messages/messages.js';
import { type PdfDrawing, type PdfRenderer, streamOf } from '../../../platform/pdf/pdf-renderer.js';
import type { DataController } from '../../projects/domain/project.js';
import {
  type ExportRow,
  PDF_RECORDS_MAX,
  type RecordCounts,
  type RecordFilter,
} from '../domain/record-filter.js';

/** Facts about the records for the first page. */
export interface PdfCover {
  projectName: string;
  controller: DataController;
  /** null: from the first record. */
  from: Date | null;
  to: Date;
  /** All but the period; `oneVisitor`: the records of one visitor. */
  filters: Omit<RecordFilter, 'from' | 'to'> & { delivery?: string; oneVisitor?: true };
  /** null: only the number of records is known. */
  counts: RecordCounts | null;
  records: number;
  madeAt: Date;
  /** Of the user who downloads it; null: an API key does. */
  madeBy: string | null;
  /** The order of the records, and the format that contains all of them if the table doesn't. */
  first: 'oldest' | 'newest';
  whole: 'csv' | 'json';
  language: MessageLanguage;
  /** IANA name. */
  timeZone: string;
}

export interface RecordsPage {
  cover: PdfCover;
  /** At most `PDF_RECORDS_MAX`; of the additional fields, the region and the version of the banner. */
  rows: ExportRow[];
}

const RECORDS_PDF: PdfDrawing<RecordsPage> = {
  module: new URL('./records-pdf.js', import.meta.url).href,
  name: 'drawRecords',
};

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
    rows.push(...batch.slice(0, PDF_RECORDS_MAX - rows.length));
    if (rows.length >= PDF_RECORDS_MAX || gone.aborted) break;
  }
  return streamOf(await pdfs.render(RECORDS_PDF, { cover, rows }, gone));
}
