import { randomUUID } from 'node:crypto';
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { S3Client } from '@aws-sdk/client-s3';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { WriteOptions } from 'flydrive/types';
import type { StorageSettings } from './storage-url.js';

/** Longest that one write or read of an object may take. A write is cut off then, see `isCutOff`. */
export const STORAGE_TIMEOUT_MAX_MS = 6_000;
/** Up to five writes and the wait for a lock happen under one lease of the outbox, with time left over. */
const LEASE_SHARE = 1 / 10;

const CAUSES_MAX = 10;
/** Has S3, and our folder driver, refuse to replace an object. */
const IF_ABSENT = { IfNoneMatch: '*' };

export interface ObjectOptions {
  contentType: string;
  cacheControl: string;
  /** Stands beside the object (`x-amz-meta-…`); a folder has no place for it. */
  metadata?: Record<string, string>;
  /** Fails with `ObjectExistsError` where there is an object already. */
  isNew?: boolean;
}

/** The object exists, and an existing one was not to be replaced. */
class ObjectExistsError extends Error {}

/** Objects in a folder or an S3 bucket, written by messages of the outbox. Opened at the first use. */
export class ObjectStorage implements OnApplicationShutdown {
  private disk: Promise<{ disk: Disk; client: S3Client | null }> | null = null;
  private readonly timeoutMs: number;

  constructor(
    private readonly storage: StorageSettings,
    { leaseMs }: { leaseMs: number },
  ) {
    this.timeoutMs = Math.min(STORAGE_TIMEOUT_MAX_MS, leaseMs * LEASE_SHARE);
  }

  /** Writes an object whole: a reader never sees half of it. @throws Error where that is not certain. */
  async put(key: string, body: string | Uint8Array, options: ObjectOptions): Promise<void> {
    const { contentType, cacheControl, metadata, isNew = false } = options;
    const { disk } = await this.opened();
    try {
      await disk.put(this.keyOf(key), body, {
        contentType,
        cacheControl,
        ...(this.storage.kind === 's3' && { Metadata: metadata }),
        ...(isNew && IF_ABSENT),
      });
    } catch (error) {
      if (isNew && isTaken(error)) throw new ObjectExistsError(key, { cause: error });
      throw error;
    }
  }

  /**
   * Writes an object unless there is one: an existing object is never replaced.
   * Returns whether the object has these bytes now.
   */
  async putOnce(key: string, body: Uint8Array, options: Omit<ObjectOptions, 'isNew'>): Promise<boolean> {
    let existing = await this.readBytes(key);
    if (existing === null) {
      try {
        await this.put(key, body, { ...options, isNew: true });
        return true;
      } catch (error) {
        if (!(error instanceof ObjectExistsError)) throw error;
        existing = await this.readBytes(key);
      }
    }
    return existing?.equals(body) ?? false;
  }

  /** The object as text, or null where there is none. */
  async read(key: string): Promise<string | null> {
    const { disk } = await this.opened();
    try {
      return await disk.get(this.keyOf(key));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** The object's bytes, or null where there is none. */
  async readBytes(key: string): Promise<Buffer | null> {
    const { disk } = await this.opened();
    try {
      return Buffer.from(await disk.getBytes(this.keyOf(key)));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Removes all objects of a folder; harmless where there are none. */
  async removeAll(folder: string): Promise<void> {
    const { disk } = await this.opened();
    await disk.deleteAll(`${this.keyOf(folder)}/`);
  }

  /** After the dispatcher has let what is under way come to its end. */
  async onApplicationShutdown(): Promise<void> {
    const opened = await this.disk?.catch(() => null);
    opened?.client?.destroy();
  }

  private keyOf(key: string): string {
    const { storage } = this;
    return storage.kind === 's3' ? `${storage.prefix}${key}` : key;
  }

  private opened(): Promise<{ disk: Disk; client: S3Client | null }> {
    this.disk ??= this.open();
    return this.disk;
  }

  private async open(): Promise<{ disk: Disk; client: S3Client | null }> {
    const { storage } = this;
    if (storage.kind === 'folder') {
      const driver = new AtomicFolderDriver({ location: storage.path, visibility: 'public' });
      return { disk: new Disk(driver), client: null };
    }
    // Loaded where it is used: Amazon's client costs a start on one machine a third of a second.
    const [{ S3Client }, { S3Driver }] = await Promise.all([
      import('@aws-sdk/client-s3'),
      import('flydrive/drivers/s3'),
    ]);
    const client = new S3Client({
      region: storage.region,
      forcePathStyle: storage.pathStyle,
      ...(storage.endpoint && { endpoint: storage.endpoint }),
      // Who retries is the outbox, which knows what is newest by then.
      maxAttempts: 1,
      // Waiting for a "100 Continue" costs a round trip, and six seconds where a server forgets to send it.
      expectContinueHeader: false,
      // Servers other than Amazon's refuse checksums that they do not know.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    bound(client, this.timeoutMs);
    // New buckets take no access lists: what the CDN may read is said in the bucket's policy.
    const driver = new S3Driver({ client, bucket: storage.bucket, visibility: 'public', supportsACL: false });
    return { disk: new Disk(driver), client };
  }
}

/**
 * Whether a write failed in such a way that the storage may still carry it out later: it was sent, and no
 * answer came.
 */
export function isCutOff(error: unknown): boolean {
  const words = ['AbortError', 'TimeoutError', 'ECONNRESET', 'EPIPE'];
  return causesOf(error).some(({ name, code }) => words.includes(name) || words.includes(code));
}

/** flydrive sends without a signal; every command of this client gets one. */
function bound(client: S3Client, timeoutMs: number): void {
  const send = client.send.bind(client) as (command: unknown, options: unknown) => Promise<unknown>;
  client.send = ((command: unknown) =>
    send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })) as typeof client.send;
}

/** Writes beside the object and renames: a reader, or a crash, meets the old object or the new one. */
class AtomicFolderDriver extends FSDriver {
  override async put(
    key: string,
    contents: string | Uint8Array,
    options?: WriteOptions & Partial<typeof IF_ABSENT>,
  ): Promise<void> {
    const root = this.options.location;
    const location = join(typeof root === 'string' ? root : root.pathname, key);
    const draft = join(dirname(location), `.${randomUUID()}.draft`);
    await mkdir(dirname(location), { recursive: true });
    try {
      await writeFile(draft, contents, { flush: true, signal: options?.signal as AbortSignal | undefined });
      if (options?.IfNoneMatch === undefined) return await rename(draft, location);
      // Unlike a rename, a link never replaces a file.
      await link(draft, location);
      await rm(draft);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}

/** S3 answers 412, or 409 while another write is under way; a folder EEXIST. */
function isTaken(error: unknown): boolean {
  const words = ['EEXIST', 'PreconditionFailed', 'ConditionalRequestConflict'];
  return causesOf(error).some(({ name, code }) => words.includes(name) || words.includes(code));
}

function isMissing(error: unknown): boolean {
  const words = ['ENOENT', 'NoSuchKey', 'NotFound'];
  return causesOf(error).some(({ name, code }) => words.includes(name) || words.includes(code));
}

/** What an error and those behind it are called; flydrive wraps its drivers' errors. */
function causesOf(error: unknown): { name: string; code: string }[] {
  const causes: { name: string; code: string }[] = [];
  let cause = error as { name?: unknown; code?: unknown; cause?: unknown } | null | undefined;
  while (typeof cause === 'object' && cause !== null && causes.length < CAUSES_MAX) {
    causes.push({ name: String(cause.name), code: String(cause.code) });
    cause = cause.cause as typeof cause;
  }
  return causes;
}
