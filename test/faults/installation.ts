import { randomBytes } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/standalone/embedded-postgres.js';
import { newId } from '../../src/platform/identity/ids.js';
import { type DnsServer, startDnsServer } from '../support/fakes/dns-server.js';
import { freePort } from '../support/programs/free-port.js';
import { killPostgres, Processes, type ServiceProcess } from '../support/programs/processes.js';
import { RedisServer } from '../support/programs/redis.js';
import { until } from '../support/until.js';
import { installAudit, WORKER_USERS } from './audit.js';
import { mountSmallDisk, type SmallDisk, unmount } from './disk.js';
import { ReceiverHandle } from './receiver-handle.js';

/** Short, so that a run meets many of them; the lease is twice as long as an attempt may take. */
const FORWARDING_TIMEOUT_MS = 2_000;
export const LEASE_MS = 10_000;
/** Few enough that what a killed worker held can be counted, many enough for the load. */
const SLOTS = 64;
/** Response time of a healthy receiver, so that requests are always in flight. */
const ANSWER_MS = 60;
export const HEALTHY = { kind: 'slow', status: 204, afterMs: ANSWER_MS } as const;
/** Its disk may be small, and its log with it. */
const POSTGRES_OPTIONS = { max_wal_size: '256MB' };
/** Hosts of receivers that are found by their names, beside those with an address. */
export const NAMED_HOSTS = ['one.example.com', 'two.example.com'];
const ADDRESSED_PROJECTS = 5;
const HEALED_DEADLINE_MS = 30_000;

export type Role = 'api' | 'worker';

/** The service as on many machines: two APIs, two workers, PostgreSQL, Redis, a receiver, a name server. */
export class Installation {
  readonly services: Record<Role, ServiceProcess[]> = { api: [], worker: [] };
  /** Addresses per name, as the name server knows them now. */
  readonly names: Record<string, string[] | null>;

  private constructor(
    readonly processes: Processes,
    readonly redis: RedisServer,
    readonly receiver: ReceiverHandle,
    readonly dns: DnsServer,
    readonly disk: SmallDisk,
    readonly postgresDir: string,
    private readonly postgres: EmbeddedPostgres,
    private readonly own: {
      programs: string;
      password: string;
      names: Record<string, string[] | null>;
      environment: Record<string, string>;
      ports: Record<Role, string[]>;
    },
    /** Where the logs of evidence are, and what signs them. */
    readonly evidenceFolder: string,
    readonly evidenceKey: Buffer,
  ) {
    this.names = own.names;
  }

  /** `programs` is the built service; a disk that can be filled is mounted where `wantsDisk` says so. */
  static async start({
    programs,
    wantsDisk,
  }: {
    programs: string;
    wantsDisk: boolean;
  }): Promise<Installation> {
    const processes = new Processes();
    const folder = processes.folder();
    const disk: SmallDisk = wantsDisk
      ? mountSmallDisk(join(folder, 'disk'), join(folder, 'disk.img'))
      : { kind: 'none', reason: 'not asked for' };
    const postgresDir = disk.kind === 'mounted' ? disk.folder : processes.dataFolder();
    const names = Object.fromEntries(NAMED_HOSTS.map((name) => [name, ['127.0.0.1']]));
    const [postgres, redis, receiver, dns] = await Promise.all([
      startEmbeddedPostgres(join(postgresDir, 'postgres'), POSTGRES_OPTIONS),
      RedisServer.start(processes.folder()),
      ReceiverHandle.start(['127.0.0.1', ...NAMED_HOSTS]),
      startDnsServer(names),
    ]);
    await receiver.behave(HEALTHY);
    const dataDir = processes.folder();
    const evidenceKey = randomBytes(32);
    // A link, which can be turned elsewhere in an instant.
    symlinkSync(processes.folder(), join(dataDir, 'evidence'));
    const ports = async (): Promise<string[]> => [String(await freePort()), String(await freePort())];
    const environment = {
      REDIS_URL: redis.url,
      RUN_WORKER: 'false',
      INGEST_RATE_PER_MINUTE: '0',
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      AUTH_SECRET: randomBytes(32).toString('base64url'),
      DATA_DIR: dataDir,
      EVIDENCE_KEYS: `e1:${evidenceKey.toString('base64')}`,
      EVIDENCE_SEAL_SECONDS: '1',
      EVIDENCE_ROOT_SECONDS: '2',
      FORWARDING_SLOTS: String(SLOTS),
      FORWARDING_ALLOWED_PRIVATE_TARGETS: ['127.0.0.1', ...NAMED_HOSTS]
        .map((host) => `${host}:${receiver.port}`)
        .join(','),
      FORWARDING_EXTRA_CA_FILE: receiver.caFile,
      FORWARDING_NAME_SERVERS: dns.address,
      FORWARDING_CONNECT_TIMEOUT_MS: String(FORWARDING_TIMEOUT_MS),
      FORWARDING_TIMEOUT_MS: String(FORWARDING_TIMEOUT_MS),
      OUTBOX_LEASE_MS: String(LEASE_MS),
    };
    const installation = new Installation(
      processes,
      redis,
      receiver,
      dns,
      disk,
      postgresDir,
      postgres,
      {
        programs,
        password: randomBytes(12).toString('hex'),
        names,
        environment,
        ports: { api: await ports(), worker: await ports() },
      },
      join(dataDir, 'evidence'),
      evidenceKey,
    );
    await installation.shadowDatabaseClock();
    // One after the other: the first start makes the tables, and the workers' users come after it.
    await installation.startService('api', 0);
    await installation.startService('api', 1);
    await installation.withDatabase((client) => installAudit(client, installation.own.password));
    await Promise.all([installation.startService('worker', 0), installation.startService('worker', 1)]);
    return installation;
  }

  /** Starts a process on its port and waits until it says that it is ready. */
  async startService(role: Role, index: number, clockOffsetMs = 0): Promise<void> {
    const { programs, environment, ports, password } = this.own;
    const databaseUrl = new URL(this.postgres.databaseUrl);
    if (role === 'worker') {
      databaseUrl.username = WORKER_USERS[index] ?? '';
      databaseUrl.password = password;
    }
    const port = ports[role][index] ?? '';
    const settings = {
      ...environment,
      NODE_ENV: 'development',
      DATABASE_URL: databaseUrl.href,
      DATABASE_OWNER_URL: this.postgres.ownerUrl,
      ...(role === 'api' ? { PORT: port } : { WORKER_PORT: port }),
      ...(clockOffsetMs !== 0 && { LAB_CLOCK_OFFSET_MS: String(clockOffsetMs) }),
    };
    const nodeOptions = clockOffsetMs === 0 ? [] : ['--import', new URL('./clock.mjs', import.meta.url).href];
    const options = { environment: settings, programs, nodeOptions };
    const service =
      role === 'api' ? await this.processes.startApi(options) : await this.processes.startWorker(options);
    this.services[role][index] = service;
    await service.ready();
  }

  /**
   * Has the APIs' statements tell the time by a function of the lab, found ahead of PostgreSQL's own `now()`. Defaults of
   * columns and the workers' statements keep PostgreSQL's.
   */
  private async shadowDatabaseClock(): Promise<void> {
    await this.setDatabaseClock(0);
    const role = new URL(this.postgres.databaseUrl).username;
    await this.withDatabase((client) =>
      client.query(`alter role ${role} set search_path = public, pg_catalog, bullmq`),
    );
  }

  /** Steps the clock of PostgreSQL by which records are received. */
  async setDatabaseClock(offsetMs: number): Promise<void> {
    await this.withDatabase((client) =>
      client.query(`
        create or replace function public.now() returns timestamptz language sql stable parallel safe
        as $$ select pg_catalog.now() + interval '${offsetMs} milliseconds' $$
      `),
    );
  }

  service(role: Role, index: number): ServiceProcess {
    const service = this.services[role][index];
    if (!service) throw new Error(`${role} ${index} was never started`);
    return service;
  }

  get baseUrls(): readonly [string, string] {
    return [this.service('api', 0).baseUrl, this.service('api', 1).baseUrl];
  }

  /** Starts PostgreSQL again on its port where it has died, and waits until it answers. */
  async revivePostgres(): Promise<void> {
    const unwatch = this.postgres.keepRunning();
    try {
      await until('PostgreSQL answers', () => this.isDatabaseUp(), HEALED_DEADLINE_MS);
    } finally {
      unwatch();
    }
  }

  private isDatabaseUp(): Promise<boolean> {
    return this.withDatabase((client) => client.query('select 1')).then(
      () => true,
      () => false,
    );
  }

  /** A connection of the lab's own, as the server's superuser. */
  async withDatabase<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({
      connectionString: this.postgres.superuserUrl,
      connectionTimeoutMillis: 2_000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Waits until every process says that it can do its work, with all that it does it with. */
  async healed(): Promise<void> {
    for (const { baseUrl } of [...this.services.api, ...this.services.worker]) {
      await until(
        `${baseUrl} is ready`,
        () =>
          fetch(`${baseUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) })
            .then(isWholeAgain)
            // Also where it dies in the middle of its answer.
            .catch(() => false),
        HEALED_DEADLINE_MS,
      );
    }
  }

  /** Processes that ended unexpectedly, with their last output; they are restarted. */
  async restartDead(): Promise<string[]> {
    const dead: string[] = [];
    for (const role of ['api', 'worker'] as const) {
      for (const index of [0, 1]) {
        const service = this.service(role, index);
        if (isRunning(service.pid)) continue;
        dead.push(`${role}-${index}: ${service.output().slice(-1_000)}`);
        await this.startService(role, index);
      }
    }
    return dead;
  }

  /** Projects that forward all they get, by address and by name; the first retries failures; one forwards nothing. */
  async makeProjects(): Promise<{ forwarding: string[]; retrying: string; silent: string }> {
    const hosts = [...Array.from({ length: ADDRESSED_PROJECTS }, () => '127.0.0.1'), ...NAMED_HOSTS];
    const forwarding = hosts.map(() => newId());
    const silent = newId();
    await this.withDatabase(async (client) => {
      await client.query(
        `insert into project (id, name, tier) select id, 'A project', 'pro' from unnest($1::uuid[]) as p (id)`,
        [[...forwarding, silent]],
      );
      await client.query(
        `insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode)
         select id, enabled, url, 'none' from unnest($1::uuid[], $2::bool[], $3::text[]) as f (id, enabled, url)`,
        [
          [...forwarding, silent],
          [...forwarding.map(() => true), false],
          [...hosts, '127.0.0.1'].map((host) => `https://${host}:${this.receiver.port}/hook`),
        ],
      );
    });
    const [retrying = ''] = forwarding;
    await this.withDatabase((client) =>
      client.query('update forwarding_settings set retry_failures = true where project_id = $1', [retrying]),
    );
    return { forwarding, retrying, silent };
  }

  /** Stops everything, in any state, and unmounts the disk. */
  async close(): Promise<void> {
    for (const service of [...this.services.api, ...this.services.worker]) service.signal('SIGCONT');
    await killPostgres(this.postgresDir);
    await this.redis.kill();
    await this.receiver.close();
    await this.dns.close();
    if (this.disk.kind === 'mounted') unmount(this.disk.folder);
    await this.processes.close();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A process without its queue serves on (200), and says so. */
async function isWholeAgain(answer: Response): Promise<boolean> {
  const { info = {} } = (await answer.json()) as { info?: Record<string, { status: string }> };
  return answer.ok && Object.values(info).every(({ status }) => status === 'up');
}
