import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { pdfThreads } from '../../../platform/pdf/pdf-threads.js';
import type { ScanReportPage } from '../application/scan-report-pages.js';

/** Renders PDF reports of scans in a worker thread. */
@Injectable()
export class ScanReportFiles implements OnApplicationShutdown {
  private readonly threads = pdfThreads<ScanReportPage>(new URL('./scan-report-thread.js', import.meta.url));

  /** @throws DomainError `overloaded`; ClientDisconnected */
  async render(page: ScanReportPage, gone: AbortSignal): Promise<Buffer> {
    return Buffer.from(await this.threads.run(page, gone));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}
