import { randomBytes } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/standalone/embedded-postgres.js';
import { type DnsServer, startDnsServer } from '../support/fakes/dns-server.js';
import { freePort } from '../support/programs/free-port.js';
import { killPostgres, Processes } from '../support/programs/processes.js';
import { RedisServer } from '../support/programs/redis.js';
import { until } from '../support/until.js';
import { installAudit, WORKER_USERS } from './audit.js';
import { mountSmallDisk, type SmallDisk, unmount } from './disk.js';
import type { LabProjects } from './lab.js';
import { ReceiverHandle } from './receiver-handle.js';
import { NAMED_HOSTS, type Role, type ServicePlace, Services } from './services.js';

/** Short, so that a run meets many of them; the lease is twice as long as an attempt may take. */
export const FORWARDING_TIMEOUT_MS = 2_000;
export const LEASE_MS = 10_000;
/** Few enough that what a killed worker held can be counted, many enough for the load. */
export const SLOTS = 64;
/** Response time of a healthy receiver, so that requests are always in flight. */
const ANSWER_MS = 60;
export const HEALTHY = { kind: 'slow', status: 204, afterMs: ANSWER_MS } as const;
/** Its disk may be small, and its log with it. */
const POSTGRES_OPTIONS = { max_wal_size: '256MB' };
const HEALED_DEADLINE_MS = 30_000;

/** The service as on many machines: two APIs, two workers, PostgreSQL, Redis, a receiver, a name server. */
export class Installation extends Services {
  /** Addresses per name, as the name server knows them now. */
  readonly names: Record<string, string[] | null>;

  private constructor(
    processes: Processes,
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
    super(processes, own.programs, HEALED_DEADLINE_MS);
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
    await installation.shadowDatabaseClock(new URL(postgres.databaseUrl).username);
    // One after the other: the first start makes the tables, and the workers' users come after it.
    await installation.startService('api', 0);
    await installation.startService('api', 1);
    await installation.withDatabase((client) => installAudit(client, installation.own.password));
    await Promise.all([installation.startService('worker', 0), installation.startService('worker', 1)]);
    return installation;
  }

  protected placeOf(role: Role, index: number): ServicePlace {
    const { environment, ports, password } = this.own;
    const databaseUrl = new URL(this.postgres.databaseUrl);
    if (role === 'worker') {
      databaseUrl.username = WORKER_USERS[index] ?? '';
      databaseUrl.password = password;
    }
    return {
      host: '127.0.0.1',
      port: ports[role][index] ?? '',
      environment: {
        ...environment,
        DATABASE_URL: databaseUrl.href,
        DATABASE_OWNER_URL: this.postgres.ownerUrl,
      },
    };
  }

  get baseUrls(): readonly [string, string] {
    return [this.service('api', 0).baseUrl, this.service('api', 1).baseUrl];
  }

  get diskText(): string {
    return this.disk.kind === 'mounted' ? this.disk.what : `none: ${this.disk.reason}`;
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

  /** Projects that forward all they get, by address and by name. */
  makeProjects(): Promise<LabProjects> {
    return this.insertProjects('127.0.0.1');
  }

  async readEvidence(path: string): Promise<Buffer> {
    return readFile(join(this.evidenceFolder, path));
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
