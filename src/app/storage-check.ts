import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { publishingSettings } from '../publishing/publishing.settings.js';
import { SettingsError, type SettingsOf } from '../shared/declare-settings.js';

/**
 * Looks whether whoever publishes can write to the storage folder: found out at the first publication instead, it
 * would be told to nobody but the log.
 * @throws SettingsError
 */
export function refuseUnwritableStorage({ storage }: SettingsOf<typeof publishingSettings>): void {
  if (storage.kind !== 'folder') return;
  const probe = join(storage.path, `.write-check-${process.pid}`);
  try {
    mkdirSync(storage.path, { recursive: true });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new SettingsError(
      `STORAGE_URL (by default a folder below DATA_DIR) leads to ${storage.path}, where this user cannot write (${code}).`,
      { cause },
    );
  }
}
