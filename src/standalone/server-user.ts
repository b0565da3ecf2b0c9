import { chownSync, existsSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Thrown if the embedded server cannot run here; the message contains the fix. */
export class EmbeddedPostgresError extends Error {}

/** The server's user if this process is root, which PostgreSQL refuses. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/**
 * Just below the highest user id of people on Debian (59999): the system assigns it only after all
 * lower ids, and containers with a separate id space have it too. It needs no entry in the user
 * database.
 */
const UID_FIRST = 59_432;
const UID_LAST = 59_999;

/**
 * A dedicated user for the server, so that no other service that runs as `nobody` can read its files or stop it. An
 * existing cluster of a version that ran it as `nobody` keeps its owner.
 */
export function serverUser(folder: string): ServerUser {
  const data = join(folder, 'data');
  if (existsSync(data)) {
    const { uid, gid } = statSync(data);
    if (uid !== 0) return { uid, gid };
  }
  const taken = takenIds();
  for (let id = UID_FIRST; id <= UID_LAST; id++) if (!taken.has(id)) return { uid: id, gid: id };
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run as root, and every user id from ${UID_FIRST} to ${UID_LAST} is in use. ` +
      'Start as a regular user, or set DATABASE_URL.',
  );
}

/**
 * A dedicated user for the scanner's browser, which runs the scripts of other people's pages: not the one of the
 * database, whose files it could read. null: every id is in use.
 */
export function browserUser(): ServerUser | null {
  const taken = takenIds();
  for (let id = UID_LAST; id > UID_FIRST; id--) if (!taken.has(id)) return { uid: id, gid: id };
  return null;
}

/** Ids of users and groups known to the machine. */
function takenIds(): Set<number> {
  return new Set(
    ['/etc/passwd', '/etc/group'].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^[^:]*:[^:]*:(\d+):/gm)].map(([, id]) => Number(id)),
    ),
  );
}

/** The system user `nobody` (65534 on Linux), which has a name. */
export function systemUser(): ServerUser {
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!entry) {
    throw new EmbeddedPostgresError(
      'PostgreSQL cannot run as root, and this machine has no user "nobody" to run it as. ' +
        'Start as a regular user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(entry[1]), gid: Number(entry[2]) };
}

/**
 * Changes the owner of a file or folder, optionally with its content. Does nothing if it does not
 * exist.
 */
export function handOver(path: string, { uid, gid }: ServerUser, { recursive = false } = {}): void {
  if (!existsSync(path)) return;
  chownSync(path, uid, gid);
  if (!recursive) return;
  for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(path, entry), uid, gid);
}

/** Whether every folder on the path may be entered by users other than its owner. */
export function othersMayEnter(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
