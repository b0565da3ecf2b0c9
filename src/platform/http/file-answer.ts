import { pipeline } from 'node:stream/promises';
import { Global, Injectable, Logger, Module } from '@nestjs/common';
import type { Response } from 'express';
import { ExportPermits, type ExportSubject } from '../shared/export-permits.js';
import { ExportProgress } from '../shared/export-progress.js';

/** Of one kind of event; Node warns of more, and by default of more than ten. */
const RESPONSE_LISTENERS_MAX = 20;

/** A file to be sent. */
export interface FileToSend extends ExportSubject {
  contentType: string;
  /** As it shall be saved. */
  name: string;
  /** Starts reading; an error thrown here still becomes a normal error response. */
  open(): Promise<NodeJS.ReadableStream>;
}

/**
 * Streams files of records: constant memory, as fast as the client reads, and a client that goes away ends it. What goes
 * wrong after the first byte breaks the connection off, so that half a file is not taken for a whole one.
 */
@Injectable()
export class FileAnswer {
  private readonly logger = new Logger(FileAnswer.name);

  constructor(
    private readonly permits: ExportPermits,
    private readonly progress: ExportProgress,
  ) {}

  /** Waits for a permit first. @throws DomainError as `ExportPermits.acquire` */
  async send(response: Response, file: FileToSend, gone: AbortSignal): Promise<void> {
    const { projectId } = file;
    const release = await this.permits.acquire(file, gone);
    const stopWatch = this.progress.watch(response, (why) => {
      this.logger.warn({ projectId }, `an export was aborted: ${why}`);
      response.destroy();
    });
    try {
      const content = await file.open();
      response.setHeader('Content-Type', file.contentType);
      response.setHeader('Content-Disposition', `attachment; filename="${file.name}"`);
      response.setHeader('Cache-Control', 'no-store');
      // The pipeline listens for the end in several ways, beside the log, the metrics and the watch above.
      response.setMaxListeners(RESPONSE_LISTENERS_MAX);
      await pipeline(content, response);
    } catch (error) {
      if (!response.headersSent) {
        response.removeHeader('Content-Disposition');
        throw error;
      }
      const left = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!left) this.logger.error({ err: error, projectId }, 'an export failed');
      response.destroy();
    } finally {
      stopWatch();
      release();
    }
  }
}

/** Files, for every module that sends some. */
@Global()
@Module({
  providers: [FileAnswer, ExportPermits, ExportProgress],
  exports: [FileAnswer, ExportPermits],
})
export class FilesModule {}
