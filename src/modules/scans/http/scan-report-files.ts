import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { pdfThreads } from '../../shared/pdf-threads.js';
import type { ScanReportPage } from '../application/scan-report-pages.js';

/** Makes PDF reports of scans, on a thread. */
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
