import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another process has locked the folder. */
export class DataFolderTakenError extends Error {}

/**
 * Locks a data folder for this process, before any change in it. The lock is SQLite's exclusive
 * file lock, which the operating system frees when the process dies, so that a `kill -9` leaves
 * nothing to clean up and two starts at once cannot both win. Returns the function that frees it.
 *
 * @throws DataFolderTakenError if another process has locked it.
 */
export function lockDataFolder(dataDir: string): () => void {
  closeToOthers(dataDir);
  const database = new DatabaseSync(join(dataDir, 'lock'));
  try {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new DataFolderTakenError(
      `The data folder ${dataDir} is in use by another instance of this service. ` +
        'Stop that instance, or set DATA_DIR (and PORT) to run a second one.',
      { cause },
    );
  }
  return () => database.close();
}

/**
 * Creates the folder, accessible only to its owner: it holds keys and the database. If the owner is
 * root, others may traverse but not list it, because PostgreSQL runs as another user with a folder
 * in it.
 */
function closeToOthers(dataDir: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  mkdirSync(dataDir, { recursive: true, mode });
  // A folder of an earlier version is open to all.
  if (statSync(dataDir).uid === process.getuid?.()) chmodSync(dataDir, mode);
}
