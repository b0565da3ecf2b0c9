import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { pdfThreads } from '../../../platform/pdf/pdf-threads.js';
import type { ProofPage } from '../application/proof-pages.js';

/** Renders PDFs about proofs in a worker thread. */
@Injectable()
export class ProofFiles implements OnApplicationShutdown {
  private readonly threads = pdfThreads<ProofPage>(new URL('./proof-thread.js', import.meta.url));

  /** @throws DomainError `overloaded`; ClientDisconnected */
  async render(page: ProofPage, gone: AbortSignal): Promise<Buffer> {
    return Buffer.from(await this.threads.run(page, gone));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}
