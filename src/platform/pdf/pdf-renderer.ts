import { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '../errors/domain-error.js';
import { EXPORTS_MAX } from '../export/export-permits.js';
import { ThreadPool } from '../threads/thread-pool.js';

/** A PDF of 5,000 records takes a second or two of an idle core. */
const TASK_MAX_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;
/** Size of a sent piece. */
const PIECE_BYTES = 64 * 1024;

/** A function that draws a page's content as a document. The thread loads it. */
export interface PdfDrawing<Page> {
  /** URL of its module. */
  module: string;
  /** Its exported name. */
  name: string;
  /** Only a type: its argument. */
  page?: Page;
}

export interface PdfTask {
  drawing: Pick<PdfDrawing<unknown>, 'module' | 'name'>;
  page: unknown;
}

/**
 * Draws PDFs on one thread, because drawing one would block the main thread for 50 ms to seconds.
 * Callers hold an export permit (export-permits.ts), which gives each account its share; the tasks of all
 * permits may wait here.
 */
@Injectable()
export class PdfRenderer implements OnApplicationShutdown {
  private readonly threads = new ThreadPool<PdfTask, Uint8Array>(
    new URL('./pdf-thread.js', import.meta.url),
    {
      name: 'pdf',
      threads: 1,
      waitingMax: EXPORTS_MAX,
      taskMaxMs: TASK_MAX_MS,
      refusal: () =>
        new DomainError('overloaded', 'Too many PDFs are being created. Try again shortly.', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        }),
    },
  );

  /** @throws DomainError `overloaded`; ClientDisconnected */
  async render<Page>({ module, name }: PdfDrawing<Page>, page: Page, gone: AbortSignal): Promise<Buffer> {
    return Buffer.from(await this.threads.run({ drawing: { module, name }, page }, gone));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}

/** A file in memory, as a stream of small pieces. */
export function streamOf(bytes: Uint8Array): Readable {
  const pieces = function* (): Generator<Uint8Array> {
    for (let begin = 0; begin < bytes.length; begin += PIECE_BYTES)
      yield bytes.subarray(begin, begin + PIECE_BYTES);
  };
  return Readable.from(pieces(), { highWaterMark: 2 });
}
