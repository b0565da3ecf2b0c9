import type { ExportRow } from '../domain/record-filter.js';

/** Records in the table; a sentence names the format with the others. */
export const PDF_RECORDS_MAX = 5_000;

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
