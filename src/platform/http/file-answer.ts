import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { ExportPermits, type ExportSubject } from '../export/export-permits.js';
import { ExportProgress } from '../export/export-progress.js';
import { isUnchanged } from './entity-tag.js';

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

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
/** Smaller bodies do not shrink when compressed. */
const COMPRESS_BYTES_MIN = 256;
/** Of 11; higher values cost ten times the time for a hundredth of the size. */
const BROTLI_QUALITY = 6;
const CACHE_BYTES_MAX = 8 * 1024 * 1024;

type Encoding = 'br' | 'gzip' | 'identity';

/** By entity tag, which identifies the content, and encoding. */
const cache = new LRUCache<string, Buffer>({
  maxSize: CACHE_BYTES_MAX,
  sizeCalculation: (body) => body.length,
});

/**
 * Responds 304 if `If-None-Match` contains the tag, else with the body in an encoding that the
 * client accepts. The tag is weak if the body is compressed: the same content in other bytes.
 */
export async function sendCompressed(
  request: Request,
  response: Response,
  { body, etag }: { body: string | Buffer; etag: string },
): Promise<void> {
  response.vary('Accept-Encoding');
  const plain = typeof body === 'string' ? Buffer.from(body) : body;
  const encoding: Encoding =
    plain.length < COMPRESS_BYTES_MIN ? 'identity' : (chosenEncoding(request) ?? 'identity');
  response.setHeader('ETag', encoding === 'identity' ? etag : `W/${etag}`);
  if (isUnchanged(request.headers['if-none-match'], etag)) {
    response.status(304).end();
    return;
  }
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  const bytes = await encode(plain, etag, encoding);
  response.setHeader('Content-Length', String(bytes.length));
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function chosenEncoding(request: Request): Encoding | null {
  const chosen = request.acceptsEncodings(['br', 'gzip', 'identity']);
  return chosen === 'br' || chosen === 'gzip' ? chosen : null;
}

async function encode(plain: Buffer, etag: string, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'identity') return plain;
  const key = `${etag} ${encoding}`;
  const known = cache.get(key);
  if (known) return known;
  const bytes =
    encoding === 'br'
      ? await toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : await toGzip(plain);
  cache.set(key, bytes);
  return bytes;
}
