import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { isUnchanged } from './entity-tag.js';

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
  { body, etag }: { body: string; etag: string },
): Promise<void> {
  response.vary('Accept-Encoding');
  const plain = Buffer.from(body);
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
