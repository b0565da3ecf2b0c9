import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../../src/one-machine/infrastructure/embedded-postgres.js';
import { until } from './until.js';

/** Where Debian puts each version's programs. */
const VERSIONS = '/usr/lib/postgresql';
const START_DEADLINE_MS = 20_000;

interface User {
  uid?: number;
  gid?: number;
}

/** Debian's PostgreSQL, as it comes, with a cluster of its own on a port of its own. Its superuser is `postgres`. */
export class DebianPostgres {
  private constructor(
    readonly port: number,
    readonly password: string,
    private readonly server: ChildProcess,
  ) {}

  /** `folder` may be entered by everybody. */
  static async start(folder: string): Promise<DebianPostgres> {
    const programs = join(VERSIONS, newestVersion(), 'bin');
    const user = postgresUser();
    const password = randomBytes(24).toString('base64url');
    const data = folderOf(user, join(folder, 'cluster'));
    const passwordFile = fileOf(user, join(folder, 'password'), password);
    const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' } };
    await promisify(execFile)(
      join(programs, 'initdb'),
      [`--pgdata=${data}`, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      options,
    );
    const port = await freePort();
    const place = ['-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
    const server = spawn(join(programs, 'postgres'), ['-D', data, ...place], { ...options, stdio: 'ignore' });
    const postgres = new DebianPostgres(port, password, server);
    await until('PostgreSQL answers', () => answers(postgres.url('postgres', 'postgres')), START_DEADLINE_MS);
    return postgres;
  }

  /** As `postgres`, or as another role with its password. */
  url(database: string, role: string, password = this.password): string {
    return `postgresql://${role}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** As the superuser. */
  async query<Row extends Record<string, unknown>>(database: string, text: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.url(database, 'postgres') });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** A fast shutdown: who is connected is cut off. */
  stop(): Promise<void> {
    return end(this.server, 'SIGINT');
  }
}

/** Debian's PgBouncer with the given `pgbouncer.ini`, whose `listen_port` is `port`. */
export class DebianPgBouncer {
  private constructor(
    private readonly server: ChildProcess,
    readonly port: number,
  ) {}

  /** `folder` may be entered by everybody; `passwords` is what `auth_file` holds, `<folder>/userlist.txt`. */
  static async start(
    folder: string,
    { ini, port, passwords }: { ini: string; port: number; passwords: Record<string, string> },
  ): Promise<DebianPgBouncer> {
    const user = postgresUser();
    const list = Object.entries(passwords).map(([role, password]) => `"${role}" "${password}"\n`);
    fileOf(user, join(folder, 'userlist.txt'), list.join(''));
    const file = fileOf(user, join(folder, 'pgbouncer.ini'), ini);
    const server = spawn('/usr/sbin/pgbouncer', ['-q', file], { ...user, cwd: folder, stdio: 'ignore' });
    const [role = '', password = ''] = Object.entries(passwords)[0] ?? [];
    const url = `postgresql://${role}:${password}@127.0.0.1:${port}/service`;
    await until('PgBouncer answers', () => answers(url), START_DEADLINE_MS);
    return new DebianPgBouncer(server, port);
  }

  stop(): Promise<void> {
    // To PgBouncer this is an end at once; with SIGINT it would wait for its clients.
    return end(this.server, 'SIGTERM');
  }
}

function newestVersion(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).filter((name) => /^\d+$/.test(name)) : [];
  const [newest] = versions.toSorted((one, other) => Number(other) - Number(one));
  if (newest === undefined)
    throw new Error("Debian's package postgresql is not installed; .ci/run installs it.");
  return newest;
}

/** Neither server runs as root; the package has made a user for them. */
function postgresUser(): User {
  if (process.getuid?.() !== 0) return {};
  const entry = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!entry) throw new Error('There is no user "postgres".');
  return { uid: Number(entry[1]), gid: Number(entry[2]) };
}

function folderOf({ uid, gid }: User, folder: string): string {
  mkdirSync(folder, { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

function fileOf({ uid, gid }: User, file: string, text: string): string {
  writeFileSync(file, text, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
  return file;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
