import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { killTree } from './processes.js';
import { until } from '../until.js';

/** Where Debian puts each version's programs. */
const VERSIONS = '/usr/lib/postgresql';

interface User {
  uid?: number;
  gid?: number;
}

/** Debian's PostgreSQL, unmodified, with a new cluster on a free port. Its superuser is `postgres`. */
export class DebianPostgres {
  private constructor(
    readonly port: number,
    readonly password: string,
    private server: ChildProcess,
    private readonly startServer: () => ChildProcess,
  ) {}

  /**
   * `folder` must be accessible to everyone; `settings` are added to the server's own. `programs`
   * is the folder of another version.
   */
  static async start(
    folder: string,
    settings: Record<string, string> = {},
    programs = debianPrograms(),
  ): Promise<DebianPostgres> {
    const user = postgresUser();
    const password = randomBytes(24).toString('base64url');
    const data = folderOf(user, join(folder, 'cluster'));
    const passwordFile = fileOf(user, join(folder, 'password'), password);
    await run(join(programs, 'initdb'), folder, [
      `--pgdata=${data}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
    ]);
    return DebianPostgres.serve({ folder, data, password, settings, programs });
  }

  /** A copy that follows `primary`, in `folder`, under `name`: it answers when it follows. */
  static async follow(
    primary: DebianPostgres,
    { folder, name, settings = {} }: { folder: string; name: string; settings?: Record<string, string> },
  ): Promise<DebianPostgres> {
    const { port, password } = primary;
    const data = folderOf(postgresUser(), join(folder, 'cluster'));
    const source = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=${name}`;
    const programs = debianPrograms();
    const copy = ['-D', data, '-d', source, '-R', '-X', 'stream', '-c', 'fast'];
    await run(join(programs, 'pg_basebackup'), folder, copy);
    const standby = await DebianPostgres.serve({ folder, data, password, settings, programs });
    await until(`${name} follows`, async () => {
      const rows = await primary.query(
        'postgres',
        `select from pg_stat_replication where application_name = '${name}' and state = 'streaming'`,
      );
      return rows.length > 0;
    });
    return standby;
  }

  private static async serve(of: {
    folder: string;
    data: string;
    password: string;
    settings: Record<string, string>;
    programs: string;
  }): Promise<DebianPostgres> {
    const port = await freePort();
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...of.settings };
    const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const startServer = (): ChildProcess =>
      spawn(join(of.programs, 'postgres'), ['-D', of.data, '-p', String(port), ...set], {
        ...postgresUser(),
        ...placeOf(of.folder),
        stdio: 'ignore',
      });
    const postgres = new DebianPostgres(port, of.password, startServer(), startServer);
    await postgres.ready();
    return postgres;
  }

  private ready(): Promise<boolean> {
    return until('PostgreSQL answers', () => answers(this.url('postgres', 'postgres')));
  }

  /** Starts it again on its port, after `kill`. */
  async revive(): Promise<void> {
    this.server = this.startServer();
    await this.ready();
  }

  /** The standby becomes a primary: resolves once it takes writes. */
  async promote(): Promise<void> {
    await this.query('postgres', 'select pg_promote()');
    await until('it takes writes', async () => {
      const rows = await this.query<{ follows: boolean }>(
        'postgres',
        'select pg_is_in_recovery() as follows',
      );
      return rows[0]?.follows === false;
    });
  }

  /** `kill -9` of the server and every process of it. */
  async kill(): Promise<void> {
    await killTree(this.server.pid ?? 0);
  }

  /** As `postgres`, or as another role with its password. */
  url(database: string, role: string, password = this.password): string {
    return `postgresql://${role}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** As the superuser. */
  async query<Row extends Record<string, unknown>>(database: string, text: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.url(database, 'postgres'), application_name: 'test' });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** A fast shutdown: clients are disconnected. */
  stop(): Promise<void> {
    return end(this.server, 'SIGINT');
  }
}

/** Debian's PgBouncer with the given `pgbouncer.ini`, whose `listen_port` is `port`. */
export class DebianPgBouncer {
  private constructor(
    private server: ChildProcess,
    readonly port: number,
    private readonly folder: string,
  ) {}

  /** `folder` may be entered by everybody; `passwords` is what `auth_file` holds, `<folder>/userlist.txt`. */
  static async start(
    folder: string,
    { ini, port, passwords }: { ini: string; port: number; passwords: Record<string, string> },
  ): Promise<DebianPgBouncer> {
    const user = postgresUser();
    const list = Object.entries(passwords).map(([role, password]) => `"${role}" "${password}"\n`);
    fileOf(user, join(folder, 'userlist.txt'), list.join(''));
    fileOf(user, join(folder, 'pgbouncer.ini'), ini);
    const server = startPgBouncer(folder);
    const [role = '', password = ''] = Object.entries(passwords)[0] ?? [];
    const url = `postgresql://${role}:${password}@127.0.0.1:${port}/service`;
    await until('PgBouncer answers', () => answers(url));
    return new DebianPgBouncer(server, port, folder);
  }

  /** Gives it another `pgbouncer.ini`, which it reads while it runs. */
  reload(ini: string): void {
    fileOf(postgresUser(), join(this.folder, 'pgbouncer.ini'), ini);
    this.server.kill('SIGHUP');
  }

  /** `kill -9`. */
  kill(): Promise<void> {
    return end(this.server, 'SIGKILL');
  }

  /** Starts it again on its port. */
  revive(): void {
    this.server = startPgBouncer(this.folder);
  }

  stop(): Promise<void> {
    // To PgBouncer this is an end at once; with SIGINT it would wait for its clients.
    return end(this.server, 'SIGTERM');
  }
}

/** Debian's HAProxy with the given configuration. */
export class DebianHaProxy {
  private constructor(private readonly server: ChildProcess) {}

  static async start(
    folder: string,
    { configuration, port }: { configuration: string; port: number },
  ): Promise<DebianHaProxy> {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, configuration);
    const server = spawn('haproxy', ['-db', '-f', file], { cwd: folder, stdio: 'ignore' });
    await until('HAProxy has an API to pass requests to', () =>
      fetch(`http://127.0.0.1:${port}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return new DebianHaProxy(server);
  }

  stop(): Promise<void> {
    return end(this.server, 'SIGTERM');
  }
}

function startPgBouncer(folder: string): ChildProcess {
  const file = join(folder, 'pgbouncer.ini');
  return spawn('/usr/sbin/pgbouncer', ['-q', file], { ...postgresUser(), cwd: folder, stdio: 'ignore' });
}

/** The folder of the programs of Debian's PostgreSQL. */
function debianPrograms(): string {
  return join(VERSIONS, newestVersion(), 'bin');
}

async function run(program: string, folder: string, given: string[]): Promise<void> {
  await promisify(execFile)(program, given, { ...postgresUser(), ...placeOf(folder) });
}

function placeOf(folder: string): { cwd: string; env: NodeJS.ProcessEnv } {
  return { cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' } };
}

function newestVersion(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).filter((name) => /^\d+$/.test(name)) : [];
  const [newest] = versions.toSorted((one, other) => Number(other) - Number(one));
  if (newest === undefined)
    throw new Error("Debian's package postgresql is not installed; .ci/run installs it.");
  return newest;
}

/** Neither server runs as root; the package has made a user for them. */
export function postgresUser(): User {
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
