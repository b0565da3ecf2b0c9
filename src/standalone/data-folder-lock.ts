import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Thrown where another process holds the folder. */
export class DataFolderTakenError extends Error {}

/**
 * Takes a data folder for this process alone, before anything in it is touched. The lock is SQLite's
 * exclusive file lock, which the operating system frees when the process dies, so that a `kill -9`
 * leaves nothing to clean up and two starts at once cannot both win.
 * Returns the function that frees it.
 * @throws DataFolderTakenError where another process holds it.
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
 * Makes the folder, for its owner alone: it holds keys and the database. Where the owner is root, others may pass
 * through it though not look into it, because PostgreSQL runs as another user and has its folder in there.
 */
function closeToOthers(dataDir: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  mkdirSync(dataDir, { recursive: true, mode });
  // One from an earlier version is open to all.
  if (statSync(dataDir).uid === process.getuid?.()) chmodSync(dataDir, mode);
}
