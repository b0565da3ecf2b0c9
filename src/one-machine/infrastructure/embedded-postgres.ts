import { execFile, type ExecFileOptions } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { makeRoles, OWNER_ROLE, RUNTIME_ROLE } from './embedded-roles.js';
import { handOver, othersMayEnter, type ServerUser, serverUser, systemUser } from './server-user.js';

export { EmbeddedPostgresError };

const execute = promisify(execFile);

/** The server's superuser, and the database. The service itself works under two lesser roles. */
const SUPERUSER = 'service';
const SUPERUSER_PASSWORD_FILE = 'password';
const OWNER_PASSWORD_FILE = 'password-owner';
const RUNTIME_PASSWORD_FILE = 'password-runtime';
const READY_DEADLINE_MS = 30_000;
const ADOPT_DEADLINE_MS = 10_000;
const WATCH_INTERVAL_MS = 500;
const STOP_TIMEOUT_SECONDS = 20;
/** Connections the server takes: pools of the API, the worker, BullMQ and a few for people. */
const MAX_CONNECTIONS = 100;

/** A running embedded server. */
export interface EmbeddedPostgres {
  /** As the role that serves. */
  databaseUrl: string;
  /** As the role that owns the tables and migrates them. */
  ownerUrl: string;
  /** As the server's superuser, for tests and repairs; the service never uses it. */
  superuserUrl: string;
  port: number;
  /** Starts the server again, on its port, whenever it has died. Returns the function that ends the watch. */
  keepRunning(): () => void;
  stop(): Promise<void>;
}

interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/**
 * Starts PostgreSQL by its own binaries in `folder`, or adopts the server that an earlier process left
 * running there. The caller holds the lock of the data folder. `options` are further server settings.
 */
export async function startEmbeddedPostgres(
  folder: string,
  options: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const home = placeForServer(folder, await findBinaries());
  const data = join(home.folder, 'data');
  const password = readOrMakePassword(home.folder, SUPERUSER_PASSWORD_FILE);

  const running = await adoptRunningServer(data);
  let port = running ?? 0;
  if (running === null) {
    await initialise(home, data, password);
    port = await freePort();
    await launch(home, data, port, options);
  }
  const urls = urlsOf(home.folder, port);
  const maintenanceUrl = Object.assign(new URL(urls.superuserUrl), { pathname: '/postgres' }).href;
  await waitUntilReady(maintenanceUrl, home.folder);
  await createDatabase(maintenanceUrl, SUPERUSER);
  await makeRoles(urls.superuserUrl, {
    owner: readOrMakePassword(home.folder, OWNER_PASSWORD_FILE),
    runtime: readOrMakePassword(home.folder, RUNTIME_PASSWORD_FILE),
  });
  return {
    ...urls,
    port,
    keepRunning: () => keepRunning(data, () => launch(home, data, port, options)),
    stop: () => stop(home, data),
  };
}

function urlsOf(
  folder: string,
  port: number,
): { databaseUrl: string; ownerUrl: string; superuserUrl: string } {
  const url = (role: string, passwordFile: string): string =>
    `postgresql://${role}:${readOrMakePassword(folder, passwordFile)}@127.0.0.1:${port}/${SUPERUSER}`;
  return {
    databaseUrl: url(RUNTIME_ROLE, RUNTIME_PASSWORD_FILE),
    ownerUrl: url(OWNER_ROLE, OWNER_PASSWORD_FILE),
    superuserUrl: url(SUPERUSER, SUPERUSER_PASSWORD_FILE),
  };
}

/** Looks whether the server lives and launches it again if not. A launch under way is not begun twice. */
function keepRunning(data: string, relaunch: () => Promise<void>): () => void {
  let relaunching = false;
  const timer = setInterval(() => {
    if (relaunching || isServerAlive(data)) return;
    relaunching = true;
    process.stderr.write('the embedded PostgreSQL has died; starting it again\n');
    relaunch()
      .catch((error: unknown) => process.stderr.write(`${sentenceOf(error)}\n`))
      .finally(() => {
        relaunching = false;
      });
  }, WATCH_INTERVAL_MS);
  return () => clearInterval(timer);
}

function isServerAlive(data: string): boolean {
  const pidFile = join(data, 'postmaster.pid');
  return existsSync(pidFile) && isAlive(Number(readFileSync(pidFile, 'utf8').split('\n')[0]));
}

/**
 * The URLs of the server that another process runs in `folder`, for tools beside it.
 * @throws EmbeddedPostgresError where none is running.
 */
export async function runningServer(
  folder: string,
): Promise<Pick<EmbeddedPostgres, 'databaseUrl' | 'ownerUrl'>> {
  const home = placeForServer(folder, await findBinaries());
  const port = await adoptRunningServer(join(home.folder, 'data'));
  if (port === null) {
    throw new EmbeddedPostgresError(
      'The service is not running here. Start it with "npm start", or set DATABASE_URL.',
    );
  }
  return urlsOf(home.folder, port);
}

interface ServerHome {
  folder: string;
  binaries: Binaries;
  /** Nobody in particular where this process is not root. */
  runner: Partial<ServerUser>;
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as Binaries;
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). ` +
        'Run "npm ci" again without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    );
  }
}

/**
 * Decides where the server lives. As an ordinary user: in `folder`. As root: in `folder` too, owned by the
 * server's user, unless that user cannot enter the folder or the binaries; then both go below
 * /var/lib, under a name made from the folder.
 */
function placeForServer(folder: string, binaries: Binaries): ServerHome {
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
  // A umask such as 077 would close the new folders to the very user that they are made for.
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
      `PostgreSQL does not run as root, and the user it would run as can enter neither ${folder} nor ${elsewhere}. ` +
        'Move the checkout to a folder that others may enter, start as an ordinary user, or set DATABASE_URL.',
    );
  }
  process.stdout.write(
    `the user that runs PostgreSQL may not enter ${dirname(folder)}; the database is kept in ${elsewhere}\n`,
  );
  const copy = join(elsewhere, 'native');
  if (!existsSync(copy)) {
    // Copied beside and renamed, so that a start that is killed leaves no half of a copy.
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

function readOrMakePassword(folder: string, name: string): string {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/** The port of a server that already runs on `data`, or null. A postmaster.pid may outlive its server. */
async function adoptRunningServer(data: string): Promise<number | null> {
  const pidFile = join(data, 'postmaster.pid');
  const deadline = Date.now() + ADOPT_DEADLINE_MS;
  while (existsSync(pidFile) && Date.now() < deadline) {
    const [pid, , , port] = readFileSync(pidFile, 'utf8').split('\n');
    if (!isAlive(Number(pid))) return null;
    if (Number(port) > 0 && (await portAnswers(Number(port)))) return Number(port);
    await new Promise((wake) => setTimeout(wake, 50));
  }
  return null;
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function portAnswers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => socket.destroy(resolve(true) as undefined));
    socket.once('error', () => resolve(false));
  });
}

/** Makes the cluster in a folder of its own and renames it, so that a crash leaves no half-made one. */
async function initialise(home: ServerHome, data: string, password: string): Promise<void> {
  if (existsSync(join(data, 'PG_VERSION'))) return;
  rmSync(data, { recursive: true, force: true });
  const passwordFile = join(home.folder, 'initdb-password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  // initdb asks the system for its user's name, which the server's own user has not: another one makes the cluster.
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
      `The embedded PostgreSQL could not be set up in ${data}: ${sentenceOf(cause)}`,
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

async function launch(
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
      `The embedded PostgreSQL did not start: ${sentenceOf(cause)} Its log is ${join(home.folder, 'server.log')}.`,
      { cause },
    );
  }
}

/** Waits until the server takes connections; recovery after a crash ends before it does. */
async function waitUntilReady(url: string, folder: string): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      await client.end().catch(() => undefined);
      if (Date.now() > deadline) {
        throw new EmbeddedPostgresError(
          `The embedded PostgreSQL was not ready within ${READY_DEADLINE_MS / 1000} s. Its log is ${join(folder, 'server.log')}.`,
          { cause },
        );
      }
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
}

async function stop(home: ServerHome, data: string): Promise<void> {
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

function sentenceOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return (
    stderr || (error instanceof Error ? error.message : String(error)) + ` (user ${userInfo().username})`
  );
}

/** A TCP port on loopback that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
