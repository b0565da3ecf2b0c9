import { PAGE_FAULTS_MAX } from '../../modules/scans/domain/scan-limits.js';

/**
 * Exceptions that pages of a scan cause outside of any call, in event handlers of ours and of Playwright. Each would end
 * the process; here it ends the page.
 */
export class PageFaults {
  private current = new AbortController();
  private count = 0;

  constructor(private readonly log: (line: string) => void) {}

  /** Aborted by the next exception. */
  get signal(): AbortSignal {
    return this.current.signal;
  }

  get areTooMany(): boolean {
    return this.count >= PAGE_FAULTS_MAX;
  }

  /** Of pages that an earlier scanner visited. */
  remember(count: number): void {
    this.count += count;
  }

  report(error: unknown): void {
    this.log(`scanner: a page caused an exception: ${error instanceof Error ? error.stack : String(error)}`);
    this.current.abort();
  }

  /** Whether there was an exception since the last time. It counts for the page that was open. */
  take(): boolean {
    if (!this.current.signal.aborted) return false;
    this.count += 1;
    this.current = new AbortController();
    return true;
  }
}

/**
 * Passes uncaught exceptions to `report`, instead of ending the process, while pages may cause
 * them. Returns a function that stops this.
 */
export function catchFaults(report: (error: unknown) => void): () => void {
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  return () => {
    process.off('uncaughtException', report);
    process.off('unhandledRejection', report);
  };
}
