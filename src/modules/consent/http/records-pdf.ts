import type { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { pdfThreads, streamOf } from '../../../platform/pdf/pdf-threads.js';
import { EXPORT_COLUMNS, type ExportRow } from '../domain/record-filter.js';
import { PDF_RECORDS_MAX, type PdfCover, type RecordsPage } from './pdf-page.js';

/** The table does not show the additional fields, which may be large. */
const SHOWN_COLUMNS = EXPORT_COLUMNS.indexOf('additionalFields');

/** Renders PDFs of records in a worker thread. */
@Injectable()
export class RecordsPdf implements OnApplicationShutdown {
  private readonly threads = pdfThreads<RecordsPage>(new URL('./pdf-thread.js', import.meta.url));

  /**
   * Reads only as many records as the table shows.
   * @throws DomainError `overloaded`; ClientDisconnected; any error of the batches
   */
  async render(cover: PdfCover, batches: AsyncIterable<ExportRow[]>, gone: AbortSignal): Promise<Readable> {
    const rows: ExportRow[] = [];
    for await (const batch of batches) {
      for (const row of batch.slice(0, PDF_RECORDS_MAX - rows.length)) rows.push(row.slice(0, SHOWN_COLUMNS));
      if (rows.length >= PDF_RECORDS_MAX || gone.aborted) break;
    }
    return streamOf(await this.threads.run({ cover, rows }, gone));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}
