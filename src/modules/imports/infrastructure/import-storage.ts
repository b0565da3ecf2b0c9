import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type OutboxSettings, outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { type SealedSecret, SecretVault } from '../../../platform/secrets/secret-vault.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../../platform/settings/secret-keys.settings.js';
import { ObjectStorage } from '../../../platform/storage/object-storage.js';
import { type PublishingSettings, publishingSettings } from '../../publishing/publishing.settings.js';
import { ImportFileError } from '../domain/import.js';
import type { ImportRef, ImportRow } from './import.rows.js';

const BINARY = { contentType: 'application/octet-stream', cacheControl: 'private, no-store' };
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The key of an import's files. */
export type FileKey = Buffer;

/**
 * Files of imports, in the storage of published sites (STORAGE_URL), which may be public: each import has a key of its
 * own, and SECRET_KEYS encrypt the keys.
 */
@Injectable()
export class ImportStorage extends ObjectStorage {
  private readonly vault: SecretVault;

  constructor(
    @InjectSettings(publishingSettings) { storage }: PublishingSettings,
    @InjectSettings(outboxSettings) outbox: OutboxSettings,
    @InjectSettings(secretSettings) { secretKeys }: SecretSettings,
  ) {
    super(storage, outbox);
    this.vault = new SecretVault(secretKeys);
  }

  createKey(ref: ImportRef): SealedSecret {
    return this.vault.seal(keyBinding(ref), randomBytes(KEY_BYTES).toString('base64'));
  }

  /** null: the files are deleted. @throws ImportFileError if no key decrypts it */
  openKey({ projectId, id, keyCiphertext, keyId }: ImportRow): FileKey | null {
    if (!keyCiphertext || keyId === null) return null;
    const key = this.vault.open(keyBinding({ projectId, id }), { ciphertext: keyCiphertext, keyId });
    if (key === null) throw unreadable();
    return Buffer.from(key, 'base64');
  }

  async putPart(
    ref: ImportRef,
    key: FileKey,
    { number, sha256, bytes }: { number: number; sha256: string; bytes: Buffer },
  ): Promise<void> {
    const name = partName(number, sha256);
    await this.put(`${folderOf(ref)}/${name}`, encrypt(key, bytes, name), BINARY);
  }

  /** @throws ImportFileError if it is missing or was changed */
  async readPart(
    ref: ImportRef,
    key: FileKey,
    { number, sha256 }: { number: number; sha256: string },
  ): Promise<Buffer> {
    const bytes = await this.readFile(ref, key, partName(number, sha256));
    if (bytes === null || sha256Of(bytes) !== sha256) throw unreadable();
    return bytes;
  }

  /** Replaces a chunk that a crashed worker wrote. */
  async putRefusals(
    ref: ImportRef,
    key: FileKey,
    { chunk, csv }: { chunk: number; csv: string },
  ): Promise<void> {
    const name = refusalName(chunk);
    await this.put(`${folderOf(ref)}/${name}`, encrypt(key, Buffer.from(csv), name), BINARY);
  }

  /** @throws ImportFileError as `readPart` */
  async readRefusals(ref: ImportRef, key: FileKey, chunk: number): Promise<Buffer> {
    return (await this.readFile(ref, key, refusalName(chunk))) ?? raise(unreadable());
  }

  removeImport(ref: ImportRef): Promise<void> {
    return this.removeAll(folderOf(ref));
  }

  removeProject(projectId: string): Promise<void> {
    return this.removeAll(projectFolder(projectId));
  }

  private async readFile(ref: ImportRef, key: FileKey, name: string): Promise<Buffer | null> {
    const sealed = await this.readBytes(`${folderOf(ref)}/${name}`);
    if (sealed === null) return null;
    try {
      return decrypt(key, sealed, name);
    } catch (cause) {
      throw unreadable({ cause });
    }
  }
}

/** The authenticated data of an import's key. */
export function keyBinding({ projectId, id }: ImportRef): string {
  return `${projectId}/consent_import/${id}`;
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const projectFolder = (projectId: string): string => `imports/${projectId}`;
const folderOf = ({ projectId, id }: ImportRef): string => `${projectFolder(projectId)}/${id}`;
const partName = (number: number, sha256: string): string => `part-${number}-${sha256.slice(0, 16)}`;
const refusalName = (chunk: number): string => `refused-${chunk}`;

/** The name is authenticated data, so a part does not decrypt in place of another. */
function encrypt(key: FileKey, bytes: Buffer, name: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(name));
  const encrypted = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]);
}

function decrypt(key: FileKey, sealed: Buffer, name: string): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(name))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

function unreadable(options?: ErrorOptions): ImportFileError {
  return new ImportFileError('file_unreadable', 'The stored file cannot be read. Upload it again.', options);
}

function raise(error: Error): never {
  throw error;
}
