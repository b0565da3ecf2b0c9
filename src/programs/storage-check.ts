import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { evidenceSettings } from '../modules/evidence/evidence.settings.js';
import type { publishingSettings } from '../modules/publishing/publishing.settings.js';
import { SettingsError, type SettingsOf } from '../platform/settings/declare-settings.js';
import type { StorageSettings } from '../platform/storage/storage-url.js';

/**
 * Checks that this process can write to the storage folders. Otherwise the first publication would fail, and only
 * the log would show it.
 * @throws SettingsError
 */
export function refuseUnwritableStorage(settings: {
  publishing: SettingsOf<typeof publishingSettings>;
  evidence: SettingsOf<typeof evidenceSettings>;
}): void {
  refuse('STORAGE_URL', settings.publishing.storage);
  if (settings.evidence.keys.length > 0) refuse('EVIDENCE_STORAGE_URL', settings.evidence.storage);
}

function refuse(name: string, storage: StorageSettings): void {
  if (storage.kind !== 'folder') return;
  const probe = join(storage.path, `.write-check-${process.pid}`);
  try {
    mkdirSync(storage.path, { recursive: true });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new SettingsError(
      `${name} (by default a folder in DATA_DIR) points to ${storage.path}, where this user cannot write (${code}).`,
      { cause },
    );
  }
}
