import { execFile, type ExecFileOptions } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError, handOver, systemUser, type ServerUser } from './server-user.js';
import type { ServerHome } from './server-home.js';

const execute = promisify(execFile);

/**
 * The server's superuser, and the database. The service itself uses two roles with fewer
 * privileges.
 */
export const SUPERUSER = 'service';
/** Longest start, including recovery after a crash. */
export const READY_DEADLINE_MS = 30_000;
const STOP_TIMEOUT_SECONDS = 20;
/** Connections the server accepts: pools of the API, the worker, BullMQ and a few for people. */
const MAX_CONNECTIONS = 100;

/** Creates the cluster in a temporary folder and renames it, so that a crash leaves no partial cluster. */
export async function initialise(home: ServerHome, data: string, password: string): Promise<void> {
  if (existsSync(join(data, 'PG_VERSION'))) return;
  rmSync(data, { recursive: true, force: true });
  const passwordFile = join(home.folder, 'initdb-password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  // initdb requires a user with a name, which the server's own user lacks: another user creates the
  // cluster.
  const initialiser = home.runner.uid === undefined ? null : systemUser();
  if (initialiser) {
    handOver(home.folder, initialiser);
    handOver(passwordFile, initialiser);
  }
  try {
    await runTool({ ...home, runner: initialiser ?? {} }, home.binaries.initdb, [
      `--pgdata=${data}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ]);
  } catch (cause) {
    rmSync(data, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      `Could not set up the embedded PostgreSQL in ${data}: ${programOutput(cause)}`,
      { cause },
    );
  } finally {
    rmSync(passwordFile, { force: true });
    if (initialiser) {
      handOver(home.folder, home.runner as ServerUser);
      handOver(data, home.runner as ServerUser, { recursive: true });
    }
  }
}

/** Starts the server on `port`, with further settings; does not wait until it accepts connections. */
export async function launch(
  home: ServerHome,
  data: string,
  port: number,
  options: Record<string, string>,
): Promise<void> {
  const settings: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(MAX_CONNECTIONS),
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    ...options,
  };
  const serverOptions = Object.entries(settings)
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(' ');
  try {
    await runTool(home, home.binaries.pg_ctl, [
      'start',
      '-D',
      data,
      '-l',
      join(home.folder, 'server.log'),
      '-o',
      serverOptions,
      '-t',
      String(READY_DEADLINE_MS / 1000),
      '-s',
      '-W',
    ]);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL did not start: ${programOutput(cause)} See its log: ${join(home.folder, 'server.log')}.`,
      { cause },
    );
  }
}

/** Stops the server on `data`, if any; rolls back its open transactions. */
export async function stop(home: ServerHome, data: string): Promise<void> {
  if (!existsSync(join(data, 'postmaster.pid'))) return;
  await runTool(home, home.binaries.pg_ctl, [
    'stop',
    '-D',
    data,
    '-m',
    'fast',
    '-t',
    String(STOP_TIMEOUT_SECONDS),
    '-s',
  ]);
}

async function runTool(home: ServerHome, file: string, args: string[]): Promise<void> {
  accessSync(file, constants.R_OK);
  const options: ExecFileOptions = {
    ...home.runner,
    cwd: home.folder,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
  };
  await execute(file, args, options);
}

/** Output of a server program, or why it could not run. */
export function programOutput(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return (
    stderr || (error instanceof Error ? error.message : String(error)) + ` (user ${userInfo().username})`
  );
}
