import { pipeline } from 'node:stream/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { ExportPermits, type ExportSubject } from '../export/export-permits.js';
import { ExportProgress } from '../export/export-progress.js';

/** Listeners of one kind of event; beyond it Node warns, by default above ten. */
const RESPONSE_LISTENERS_MAX = 20;

/** A file to be sent. */
export interface FileToSend extends ExportSubject {
  contentType: string;
  /** The file name for saving. */
  name: string;
  /** Starts reading; an error thrown here still becomes a normal error response. */
  open(): Promise<NodeJS.ReadableStream>;
}

/**
 * Streams files of records: in constant memory, at the client's speed, and until the client
 * disconnects. An error after the first byte closes the connection, so that a truncated file is not
 * mistaken for a complete one.
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
      // The pipeline adds several listeners for the end, beside the log, the metrics and the signal
      // above.
      response.setMaxListeners(RESPONSE_LISTENERS_MAX);
      await pipeline(content, response);
    } catch (error) {
      // An error after the client disconnected is not a failure of the export.
      if (gone.aborted) throw gone.reason;
      if (!response.headersSent) {
        response.removeHeader('Content-Disposition');
        throw error;
      }
      this.logger.error({ err: error, projectId }, 'an export failed');
      response.destroy();
    } finally {
      stopWatch();
      release();
    }
  }
}
