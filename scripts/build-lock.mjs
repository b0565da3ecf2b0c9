// One build at a time in a checkout: two that write into the same folder leave a mixture of both.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const CACHE = join('node_modules', '.cache');
/** A build takes seconds; on a machine that is busy with tests a minute has been seen. */
const WAIT_MAX_MS = 5 * 60_000;

/**
 * Waits until no other build is running in this checkout, and makes others wait until this process
 * ends. A lock of the operating system, which a killed process releases.
 */
export function takeBuildLock() {
  mkdirSync(CACHE, { recursive: true });
  const database = new DatabaseSync(join(CACHE, 'build.lock'));
  // Not with locking_mode = EXCLUSIVE: a process that waits would keep its shared lock, and two that begin at the same
  // moment would each wait for the other's.
  database.exec(`PRAGMA busy_timeout = ${WAIT_MAX_MS}; BEGIN EXCLUSIVE`);
  // Kept, or the collector of garbage closes it.
  globalThis.buildLock = database;
}
