import { SCANNER_ROLE } from '../platform/database/grants.js';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgresError } from './server-user.js';
import { findBinaries, placeForServer, readOrMakePassword } from './server-home.js';
import { initialise, launch, programOutput, READY_DEADLINE_MS, stop, SUPERUSER } from './server-tools.js';

/** The file that operators use too, so that both kinds of installation have the same roles. */
const ROLES_FILE = join(import.meta.dirname, '..', '..', 'deploy', 'postgres', 'roles.sql');

/** The role that migrates and the one that serves. Neither is the server's superuser. */
const OWNER_ROLE = 'service_owner';
const RUNTIME_ROLE = 'service_runtime';
/**
 * Makes the roles of owner, service and scanner in the database of `superuserUrl`, or gives existing ones these passwords,
 * and hands over to the owner what an earlier version made as superuser. Harmless when repeated.
 */
async function createRoles(
  superuserUrl: string,
  passwords: { owner: string; runtime: string; scanner: string },
): Promise<void> {
  const client = new Client({
    connectionString: superuserUrl,
    options: Object.entries(passwords)
      .map(([role, password]) => `-c service.${role}_password=${password}`)
      .join(' '),
  });
  await client.connect();
  try {
    await client.query(readFileSync(ROLES_FILE, 'utf8'));
  } finally {
    await client.end();
  }
}

const SUPERUSER_PASSWORD_FILE = 'password';
const OWNER_PASSWORD_FILE = 'password-owner';
const RUNTIME_PASSWORD_FILE = 'password-runtime';
const SCANNER_PASSWORD_FILE = 'password-scanner';
const WATCH_INTERVAL_MS = 500;

/** A running embedded server. */
export interface EmbeddedPostgres {
  /** As the run-time role. */
  databaseUrl: string;
  /** As the role that owns the tables and migrates them. */
  ownerUrl: string;
  /** As the scanner's role. */
  scannerUrl: string;
  /** As the server's superuser, for tests and repairs; the service never uses it. */
  superuserUrl: string;
  port: number;
  /** Restarts the server on its port whenever it has died. Returns the function that stops this. */
  keepRunning(): () => void;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL from its own binaries in `folder`, or adopts the server that an earlier process
 * left running there. The caller holds the lock of the data folder. `options` are further server
 * settings.
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
  const urls = connectionUrls(home.folder, port);
  const maintenanceUrl = Object.assign(new URL(urls.superuserUrl), { pathname: '/postgres' }).href;
  await createDatabase(await connectWhenReady(maintenanceUrl, home.folder), SUPERUSER);
  await createRoles(urls.superuserUrl, {
    owner: readOrMakePassword(home.folder, OWNER_PASSWORD_FILE),
    runtime: readOrMakePassword(home.folder, RUNTIME_PASSWORD_FILE),
    scanner: readOrMakePassword(home.folder, SCANNER_PASSWORD_FILE),
  });
  return {
    ...urls,
    port,
    keepRunning: () => keepRunning(data, () => launch(home, data, port, options)),
    stop: () => stop(home, data),
  };
}

function connectionUrls(
  folder: string,
  port: number,
): Pick<EmbeddedPostgres, 'databaseUrl' | 'ownerUrl' | 'scannerUrl' | 'superuserUrl'> {
  const url = (role: string, passwordFile: string): string =>
    `postgresql://${role}:${readOrMakePassword(folder, passwordFile)}@127.0.0.1:${port}/${SUPERUSER}`;
  return {
    databaseUrl: url(RUNTIME_ROLE, RUNTIME_PASSWORD_FILE),
    ownerUrl: url(OWNER_ROLE, OWNER_PASSWORD_FILE),
    scannerUrl: url(SCANNER_ROLE, SCANNER_PASSWORD_FILE),
    superuserUrl: url(SUPERUSER, SUPERUSER_PASSWORD_FILE),
  };
}

/** Checks whether the server is alive and restarts it if not. Never starts it twice at once. */
function keepRunning(data: string, relaunch: () => Promise<void>): () => void {
  let relaunching = false;
  const timer = setInterval(() => {
    if (relaunching || isServerAlive(data)) return;
    relaunching = true;
    process.stderr.write('the embedded PostgreSQL crashed; restarting it\n');
    relaunch()
      .catch((error: unknown) => process.stderr.write(`${programOutput(error)}\n`))
      .finally(() => {
        relaunching = false;
      });
  }, WATCH_INTERVAL_MS);
  return () => clearInterval(timer);
}

/**
 * The URLs of the server that another process runs in `folder`, for tools beside it.
 *
 * @throws EmbeddedPostgresError if none is running.
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
  return connectionUrls(home.folder, port);
}

/** Connects as soon as the server accepts connections, after recovery from a crash. */
async function connectWhenReady(url: string, folder: string): Promise<Client> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return client;
    } catch (cause) {
      await client.end().catch(() => undefined);
      if (Date.now() > deadline) {
        throw new EmbeddedPostgresError(
          `The embedded PostgreSQL was not ready within ${READY_DEADLINE_MS / 1000} s. See its log: ${join(folder, 'server.log')}.`,
          { cause },
        );
      }
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }
}

/** Creates it if it is missing, and closes the client. */
async function createDatabase(client: Client, name: string): Promise<void> {
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
}

const ADOPT_DEADLINE_MS = 10_000;

/**
 * The port of a server that already runs on `data`, or null. A postmaster.pid may outlive its
 * server.
 */
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

/** Whether the process in the server's pid file is alive. */
function isServerAlive(data: string): boolean {
  const pidFile = join(data, 'postmaster.pid');
  return existsSync(pidFile) && isAlive(Number(readFileSync(pidFile, 'utf8').split('\n')[0]));
}

/** A TCP port on loopback that is free at this moment. @public Loaded by scripts and benches. */
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
