import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger, OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '../errors/domain-error.js';
import type { ObjectOptions, ObjectStore, StorageSettings } from './storage-url.js';

/** Longest write or read of an object. A longer write is aborted, see `isCutOff`. */
export const STORAGE_TIMEOUT_MAX_MS = 6_000;
/**
 * Up to five writes and the wait for a lock must fit into one lease of the outbox, with time to
 * spare.
 */
const LEASE_SHARE = 1 / 10;

const CAUSES_MAX = 10;
/** The object exists, and must not be replaced. */
class ObjectExistsError extends Error {}

/** Objects in a folder or an S3 bucket, written by outbox messages. Opened on first use. */
export class ObjectStorage implements OnApplicationShutdown {
  private store: Promise<ObjectStore> | null = null;
  private readonly timeoutMs: number;

  constructor(
    private readonly storage: StorageSettings,
    { leaseMs }: { leaseMs: number },
  ) {
    this.timeoutMs = Math.min(STORAGE_TIMEOUT_MAX_MS, leaseMs * LEASE_SHARE);
  }

  /** Writes an object atomically: a reader never sees a partial object. @throws Error if the outcome is uncertain. */
  async put(key: string, body: string | Uint8Array, options: ObjectOptions): Promise<void> {
    const store = await this.opened();
    try {
      await store.put(key, body, options);
    } catch (error) {
      if (options.isNew && isTaken(error)) throw new ObjectExistsError(key, { cause: error });
      throw error;
    }
  }

  /**
   * Writes an object unless it exists: an existing object is never replaced. Returns whether the
   * object has these bytes now.
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

  /** The object as text; null if it does not exist. */
  async read(key: string): Promise<string | null> {
    const bytes = await this.readBytes(key);
    return bytes?.toString('utf8') ?? null;
  }

  /** The object's bytes; null if it does not exist. */
  async readBytes(key: string): Promise<Buffer | null> {
    const store = await this.opened();
    try {
      return await store.read(key);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Deletes all objects of a folder; does nothing without any. */
  async removeAll(folder: string): Promise<void> {
    const store = await this.opened();
    await store.deleteFolder(folder);
  }

  /** Runs after the dispatcher has finished its current messages. */
  async onApplicationShutdown(): Promise<void> {
    const store = await this.store?.catch(() => null);
    store?.close();
  }

  private opened(): Promise<ObjectStore> {
    this.store ??= this.open();
    return this.store;
  }

  private async open(): Promise<ObjectStore> {
    if (this.storage.kind === 'folder') return new FolderStore(this.storage.path);
    // Loaded on first use: Amazon's client takes a third of a second of a standalone start.
    const { S3Store } = await import('./s3-store.js');
    return new S3Store(this.storage, this.timeoutMs);
  }
}

/**
 * Whether a write failed such that the storage may still execute it later: it was sent, and no
 * response arrived.
 */
export function isCutOff(error: unknown): boolean {
  const words = ['AbortError', 'TimeoutError', 'ECONNRESET', 'EPIPE'];
  return listCauses(error).some(({ name, code }) => words.includes(name) || words.includes(code));
}

/**
 * Writes a draft beside the object and renames it, so that readers and crashes see the old object
 * or the new one.
 */
class FolderStore implements ObjectStore {
  constructor(private readonly root: string) {}

  async put(key: string, body: string | Uint8Array, { isNew = false }: ObjectOptions): Promise<void> {
    const location = join(this.root, key);
    const draft = join(dirname(location), `.${randomUUID()}.draft`);
    await mkdir(dirname(location), { recursive: true });
    try {
      await writeFile(draft, body, { flush: true });
      if (!isNew) return await rename(draft, location);
      // Unlike a rename, a link never replaces a file.
      await link(draft, location);
      await rm(draft);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  read(key: string): Promise<Buffer> {
    return readFile(join(this.root, key));
  }

  deleteFolder(folder: string): Promise<void> {
    return rm(join(this.root, folder), { recursive: true, force: true });
  }

  close(): void {}
}

/** S3 returns 412, or 409 during a concurrent write; a folder EEXIST. */
function isTaken(error: unknown): boolean {
  const words = ['EEXIST', 'PreconditionFailed', 'ConditionalRequestConflict'];
  return listCauses(error).some(({ name, code }) => words.includes(name) || words.includes(code));
}

function isMissing(error: unknown): boolean {
  const words = ['ENOENT', 'NoSuchKey', 'NotFound'];
  return listCauses(error).some(({ name, code }) => words.includes(name) || words.includes(code));
}

/** The names and codes of an error and its causes. */
function listCauses(error: unknown): { name: string; code: string }[] {
  const causes: { name: string; code: string }[] = [];
  let cause = error as { name?: unknown; code?: unknown; cause?: unknown } | null | undefined;
  while (typeof cause === 'object' && cause !== null && causes.length < CAUSES_MAX) {
    causes.push({ name: String(cause.name), code: String(cause.code) });
    cause = cause.cause as typeof cause;
  }
  return causes;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * The result of a read from storage; `what` is its name, at the start of a sentence.
 *
 * @throws DomainError `temporarily_unavailable` (503) if storage fails.
 */
export async function orUnavailable<T>(logger: Logger, what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    logger.warn({ err: error }, `failed to read ${what} from storage`);
    throw new DomainError('temporarily_unavailable', `${what} is temporarily unavailable. Try again.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}
