import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { createServiceRoles, poolerSettings, proxyConfiguration } from '../../support/programs/cluster.js';
import { postgresUser } from '../../support/programs/debian.js';
import { Processes } from '../../support/programs/processes.js';
import { CREDENTIALS } from '../../support/fakes/s3.js';
import { until } from '../../support/until.js';
import { installAudit, WORKER_USERS } from '../audit.js';
import { FORWARDING_TIMEOUT_MS, HEALTHY, LEASE_MS, SLOTS } from '../installation.js';
import type { LabProjects } from '../lab.js';
import { ReceiverHandle } from '../receiver-handle.js';
import { NAMED_HOSTS, type Role, type ServicePlace, Services } from '../services.js';
import { DatabaseCluster } from './database.js';
import { Network } from './network.js';
import { type PartName, PARTS, type Target } from './parts.js';
import { Programs } from './programs.js';

const DATABASE = 'service';
const RUNTIME_ROLE = 'service_runtime';
const PORT = '3000';
const REDIS_PORT = 6379;
const BOUNCER_PORT = 6432;
/** Patroni's lease, an election, and timeouts of silent connections. */
const HEALED_DEADLINE_MS = 120_000;
/** Names that the service resolves for each new connection. */
const SERVICE_NAMES = { bouncer: 'database.example.com', redis: 'redis.example.com' } as const;

/** The service on many machines, each in a network namespace. */
export class NetworkInstallation extends Services {
  readonly network = new Network(PARTS);
  readonly programs: Programs;
  readonly database: DatabaseCluster;
  receiver!: ReceiverHandle;
  readonly evidenceKey = randomBytes(32);
  private readonly folder = tmpdir();
  private readonly passwords = { superuser: secret(), owner: secret(), runtime: secret(), worker: secret() };
  private environment: Record<string, string> = {};
  private storageUrl = '';

  static async start(programs: string): Promise<NetworkInstallation> {
    const installation = new NetworkInstallation(programs);
    try {
      await installation.startParts(programs);
    } catch (error) {
      for (const name of ['etcd', 'db-0', 'bouncer', 'proxy'])
        process.stderr.write(`${name}: ${installation.programs.tail(name)}\n`);
      throw error;
    }
    return installation;
  }

  private constructor(programs: string) {
    super(new Processes(), programs, HEALED_DEADLINE_MS);
    chmodSync(this.folder, 0o755);
    this.programs = new Programs(this.folder);
    this.database = new DatabaseCluster(this.network, this.programs, this.folder, this.passwords.superuser);
  }

  private async startParts(programs: string): Promise<void> {
    const { network } = this;
    await this.startNames();
    const receiverHosts = [network.addressOf('receiver'), ...NAMED_HOSTS];
    const [, receiver, storageUrl] = await Promise.all([
      this.database.start(),
      ReceiverHandle.start(receiverHosts, network.within('receiver')),
      this.programs.standIn('s3', { within: network.within('s3'), address: network.addressOf('s3') }),
    ]);
    this.receiver = receiver;
    this.storageUrl = storageUrl;
    await receiver.behave(HEALTHY);
    this.startRedis();
    await this.prepareDatabase();
    this.startBouncer();
    this.environment = this.settings();
    await promisify(execFile)(process.execPath, [resolve(programs, 'ops.js'), 'migrate'], {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'development',
        ...this.environment,
        ...(await this.owner()),
      },
    });
    await this.shadowDatabaseClock(RUNTIME_ROLE);
    await this.withDatabase((client) => this.installWorkers(client));
    await Promise.all([this.startService('api', 0), this.startService('api', 1)]);
    await Promise.all([this.startService('worker', 0), this.startService('worker', 1)]);
    await this.startProxy();
  }

  /** A name server for receivers and the service's parts; every process of the lab uses it. */
  private async startNames(): Promise<void> {
    const { network, folder } = this;
    const receiver = [network.addressOf('receiver')];
    const names = {
      ...Object.fromEntries(NAMED_HOSTS.map((name) => [name, receiver])),
      ...Object.fromEntries(
        Object.entries(SERVICE_NAMES).map(([part, name]) => [name, [network.addressOf(part as PartName)]]),
      ),
    };
    const address = network.addressOf('dns');
    await this.programs.standIn('dns', { within: network.within('dns'), address, names });
    const file = join(folder, 'resolv.conf');
    writeFileSync(file, `nameserver ${address}\noptions timeout:1 attempts:2\n`);
    execFileSync('mount', ['--bind', file, '/etc/resolv.conf']);
  }

  private startRedis(): void {
    const address = this.network.addressOf('redis');
    const options = `--port ${REDIS_PORT} --bind ${address} --protected-mode no --appendonly no --save`;
    this.programs.start('redis', ['redis-server', ...options.split(' '), ''], {
      within: this.network.within('redis'),
    });
  }

  private async prepareDatabase(): Promise<void> {
    await this.database.withDatabase((client) => client.query(`create database ${DATABASE}`), 'postgres');
    const leader = await this.database.leader();
    const administrator = { database: DATABASE, role: 'postgres', password: this.passwords.superuser };
    await createServiceRoles(this.database.url(leader, administrator), this.passwords);
    await this.withDatabase(async (client) => {
      for (const line of poolerSettings()) await client.query(line);
    });
  }

  /** The audit, and the workers' own users, with the settings that PgBouncer does not pass on. */
  private async installWorkers(client: Client): Promise<void> {
    await installAudit(client, this.passwords.worker);
    for (const user of WORKER_USERS)
      for (const line of poolerSettings()) await client.query(line.replace(RUNTIME_ROLE, user));
  }

  /** PgBouncer, and the HAProxy beside it that leads to the primary. */
  private startBouncer(): void {
    const within = this.network.within('bouncer');
    const servers = (['db-0', 'db-1', 'db-2'] as const).map((server) => this.network.addressOf(server));
    const route = servers.reduce(
      (text, address, index) => text.replace(`10.0.0.2${index + 1}:`, `${address}:`),
      readFileSync('deploy/patroni/haproxy.cfg', 'utf8'),
    );
    const routeFile = join(this.folder, 'route.cfg');
    writeFileSync(routeFile, route);
    this.programs.start('route', ['haproxy', '-db', '-f', routeFile], { within });

    const folder = join(this.folder, 'bouncer');
    mkdirSync(folder);
    const passwords = [
      [RUNTIME_ROLE, this.passwords.runtime],
      ...WORKER_USERS.map((user) => [user, this.passwords.worker]),
    ];
    this.ownedFile(
      join(folder, 'userlist.txt'),
      passwords.map(([user, password]) => `"${user}" "${password}"\n`).join(''),
    );
    const ini = join(folder, 'pgbouncer.ini');
    this.ownedFile(
      ini,
      readFileSync('deploy/patroni/pgbouncer.ini', 'utf8')
        .replace('listen_addr = 127.0.0.1', `listen_addr = ${this.network.addressOf('bouncer')}`)
        .replace('/etc/pgbouncer/userlist.txt', join(folder, 'userlist.txt')),
    );
    this.programs.start('bouncer', ['/usr/sbin/pgbouncer', ini], { within, asPostgres: true });
  }

  private ownedFile(file: string, text: string): void {
    writeFileSync(file, text, { mode: 0o600 });
    const { uid = 0, gid = 0 } = postgresUser();
    chownSync(file, uid, gid);
  }

  private async startProxy(): Promise<void> {
    const apis = (['api-0', 'api-1'] as const).map((api) => `${this.network.addressOf(api)}:${PORT}`);
    const file = join(this.folder, 'proxy.cfg');
    writeFileSync(file, proxyConfiguration(`${this.network.addressOf('proxy')}:80`, apis));
    this.programs.start('proxy', ['haproxy', '-db', '-f', file], { within: this.network.within('proxy') });
    await until('HAProxy has an API to pass requests to', () =>
      fetch(`${this.baseUrls[0]}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  private settings(): Record<string, string> {
    const { network, receiver } = this;
    const receivers = [network.addressOf('receiver'), ...NAMED_HOSTS];
    return {
      DATABASE_URL: this.databaseUrl(RUNTIME_ROLE, this.passwords.runtime),
      REDIS_URL: `redis://${SERVICE_NAMES.redis}:${REDIS_PORT}`,
      RUN_WORKER: 'false',
      INGEST_RATE_PER_MINUTE: '0',
      INGEST_NETWORK_RATE_PER_MINUTE: '0',
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      AUTH_SECRET: secret(),
      DATA_DIR: this.processes.folder(),
      EVIDENCE_KEYS: `e1:${this.evidenceKey.toString('base64')}`,
      EVIDENCE_STORAGE_URL: this.storageUrl,
      EVIDENCE_SEAL_SECONDS: '1',
      EVIDENCE_ROOT_SECONDS: '2',
      FORWARDING_SLOTS: String(SLOTS),
      FORWARDING_ALLOWED_PRIVATE_TARGETS: receivers.map((host) => `${host}:${receiver.port}`).join(','),
      FORWARDING_EXTRA_CA_FILE: receiver.caFile,
      FORWARDING_NAME_SERVERS: `${network.addressOf('dns')}:53`,
      FORWARDING_CONNECT_TIMEOUT_MS: String(FORWARDING_TIMEOUT_MS),
      FORWARDING_TIMEOUT_MS: String(FORWARDING_TIMEOUT_MS),
      OUTBOX_LEASE_MS: String(LEASE_MS),
      SHUTDOWN_DELAY_MS: '1000',
      ...CREDENTIALS,
    };
  }

  private databaseUrl(role: string, password: string): string {
    return `postgresql://${role}:${password}@${SERVICE_NAMES.bouncer}:${BOUNCER_PORT}/${DATABASE}`;
  }

  private async owner(): Promise<Record<string, string>> {
    const leader = await this.database.leader();
    const owner = { database: DATABASE, role: 'service_owner', password: this.passwords.owner };
    return { DATABASE_OWNER_URL: this.database.url(leader, owner) };
  }

  protected placeOf(role: Role, index: number): ServicePlace {
    const part = `${role}-${index}` as PartName;
    const user = WORKER_USERS[index] ?? '';
    return {
      host: this.network.addressOf(part),
      port: PORT,
      within: this.network.within(part),
      environment: {
        ...this.environment,
        ...(role === 'worker' && { DATABASE_URL: this.databaseUrl(user, this.passwords.worker) }),
      },
    };
  }

  get baseUrls(): readonly [string, string] {
    const url = `http://${this.network.addressOf('proxy')}`;
    return [url, url];
  }

  get diskText(): string {
    const disks = [...this.database.disks.values()];
    return disks.map((disk) => (disk.kind === 'mounted' ? disk.what : `none: ${disk.reason}`)).join(', ');
  }

  /** The part that currently has the role. */
  async partOf(target: Target): Promise<PartName> {
    const isRole = target === 'primary' || target === 'sync' || target === 'async';
    return isRole ? this.database.serverOf(target) : target;
  }

  withDatabase<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.database.withDatabase(work, DATABASE);
  }

  makeProjects(): Promise<LabProjects> {
    return this.insertProjects(this.network.addressOf('receiver'));
  }

  async readEvidence(path: string): Promise<Buffer> {
    const url = new URL(this.storageUrl.replace(/^s3:/, 'http:'));
    const endpoint = url.searchParams.get('endpoint') ?? '';
    const response = await fetch(`${endpoint}/${url.hostname}${url.pathname}/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }

  override async restartDead(): Promise<string[]> {
    return [...this.programs.restartDead(), ...(await super.restartDead())];
  }

  override async healed(): Promise<void> {
    await this.database.whole();
    await super.healed();
  }

  /** The rest ends with the process table of the lab. */
  async close(): Promise<void> {
    await this.processes.close();
  }
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}
