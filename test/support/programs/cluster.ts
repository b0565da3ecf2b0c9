import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import { newId } from '../../../src/platform/identity/ids.js';
import { DebianHaProxy, DebianPgBouncer, DebianPostgres } from './debian.js';
import { Processes, type ServiceProcess } from './processes.js';
import { makeTestAuthority, type Receiver, startReceiver, type TestAuthority } from '../fakes/receiver.js';
import { RedisServer } from './redis.js';
import { until } from '../until.js';

const DATABASE = 'service';
/** The primary's name for its standby, which it waits for at each commit. */
const STANDBY = 'standby';
const CONNECTIONS_MAX = '300';
/** How long an API says that it is not ready before it stops listening: some looks of HAProxy. */
const SHUTDOWN_DELAY_MS = 1_000;
const FORWARDING_TIMEOUT_MS = 5_000;
const LEASE_MS = 8_000;
const DRAIN_DEADLINE_MS = 60_000;
/** A client that was refused comes again after this, with the same record, as the loader does. */
const CLIENT_PAUSE_MS = 100;

/** The clients' results. */
export interface ClusterLoad {
  /** Ids of acknowledged records. */
  acknowledged: Set<string>;
  /** Responses other than 200 and 201, and refused connections, with their counts. */
  refusals: Map<string, number>;
  /** When each refusal came, in milliseconds since 1970. */
  refusedAt: number[];
  slowestMs: number;
}

/** The fate of the records, in numbers; lost ones are in one of the first three. */
export interface ClusterAccounts {
  acknowledgedNotStored: number;
  storedNotSettled: number;
  deliveredNotReceived: number;
  /** Their attempt failed, as the delivery log says. */
  failed: number;
  /** How, e.g. `failed: The endpoint took too long to respond.` */
  failures: string[];
}

/**
 * The service as many machines have it, on one, with Debian's programs: HAProxy before two APIs, two workers, Redis,
 * PgBouncer before a PostgreSQL that waits for a synchronous standby with every commit.
 */
export class Cluster {
  readonly processes = new Processes();
  apis: ServiceProcess[] = [];
  workers: ServiceProcess[] = [];
  redis!: RedisServer;
  primary!: DebianPostgres;
  standby!: DebianPostgres;
  bouncer!: DebianPgBouncer;
  receiver!: Receiver;
  private proxy!: DebianHaProxy;
  private authority!: TestAuthority;
  private apiPorts: number[] = [];
  private environment: Record<string, string> = {};
  private readonly passwords = { owner: secret(), runtime: secret() };
  private bouncerPort = 0;
  /** HAProxy's. */
  baseUrl = '';

  static async start(): Promise<Cluster> {
    const cluster = new Cluster();
    await cluster.startDatabase();
    await cluster.startService();
    return cluster;
  }

  private async startDatabase(): Promise<void> {
    const settings = { max_connections: CONNECTIONS_MAX };
    this.primary = await DebianPostgres.start(this.processes.folder(), settings);
    await this.primary.query('postgres', `create database ${DATABASE}`);
    await createServiceRoles(this.primary.url(DATABASE, 'postgres'), this.passwords);
    for (const line of poolerSettings()) await this.primary.query(DATABASE, line);
    this.standby = await DebianPostgres.follow(this.primary, {
      folder: this.processes.folder(),
      name: STANDBY,
      settings,
    });
    await this.primary.query('postgres', `alter system set synchronous_standby_names = '${STANDBY}'`);
    await this.primary.query('postgres', 'select pg_reload_conf()');
    this.bouncerPort = await freePort();
    this.bouncer = await DebianPgBouncer.start(this.processes.folder(), {
      ini: this.bouncerIni(this.primary.port),
      port: this.bouncerPort,
      passwords: { service_runtime: this.passwords.runtime },
    });
  }

  private bouncerIni(port: number): string {
    return [
      '[databases]',
      `${DATABASE} = host=127.0.0.1 port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${this.bouncerPort}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      'auth_file = userlist.txt',
      'pool_mode = session',
      'default_pool_size = 200',
      'max_client_conn = 500',
      'ignore_startup_parameters = options',
      // A server that was refused is tried again soon: the next one is up in moments.
      'server_login_retry = 1',
      '',
    ].join('\n');
  }

  private async startService(): Promise<void> {
    this.authority = await makeTestAuthority();
    this.receiver = await startReceiver(this.authority.authority);
    this.redis = await RedisServer.start(this.processes.folder());
    const { owner, runtime } = this.passwords;
    this.environment = {
      NODE_ENV: 'test',
      DATABASE_URL: `postgresql://service_runtime:${runtime}@127.0.0.1:${this.bouncerPort}/${DATABASE}`,
      REDIS_URL: this.redis.url,
      RUN_WORKER: 'false',
      INGEST_RATE_PER_MINUTE: '0',
      SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS),
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      AUTH_SECRET: secret(),
      DATA_DIR: this.processes.folder(),
      FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${this.receiver.port}`,
      FORWARDING_EXTRA_CA_FILE: this.authority.caFile,
      FORWARDING_TIMEOUT_MS: String(FORWARDING_TIMEOUT_MS),
      OUTBOX_LEASE_MS: String(LEASE_MS),
    };
    const ownerUrl = this.primary.url(DATABASE, 'service_owner', owner);
    await promisify(execFile)('npm', ['run', 'migrate'], {
      env: { ...process.env, ...this.environment, DATABASE_OWNER_URL: ownerUrl },
    });
    this.apiPorts = [await freePort(), await freePort()];
    this.apis = await Promise.all([this.startApi(0), this.startApi(1)]);
    this.workers = await Promise.all([this.startWorker(), this.startWorker()]);
    const port = await freePort();
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.proxy = await DebianHaProxy.start(this.processes.folder(), {
      configuration: proxyConfiguration(
        `127.0.0.1:${port}`,
        this.apiPorts.map((apiPort) => `127.0.0.1:${apiPort}`),
      ),
      port,
    });
  }

  /** An API on the port that HAProxy knows as `index`. */
  async startApi(index: number): Promise<ServiceProcess> {
    const environment = { ...this.environment, PORT: String(this.apiPorts[index]) };
    const api = await this.processes.startApi({ environment });
    await api.ready();
    return api;
  }

  async startWorker(): Promise<ServiceProcess> {
    const worker = await this.processes.startWorker({ environment: this.environment });
    await worker.ready();
    return worker;
  }

  /** Promotes the standby, and routes PgBouncer and all clients to it, like a failover manager. */
  async failOver(): Promise<void> {
    await this.standby.promote();
    this.bouncer.reload(this.bouncerIni(this.standby.port));
    [this.primary, this.standby] = [this.standby, this.primary];
  }

  /** Kills all running processes. */
  async close(): Promise<void> {
    await this.processes.close();
    await this.proxy?.stop();
    await this.bouncer?.kill();
    await Promise.all([
      this.primary?.kill(),
      this.standby?.kill(),
      this.redis?.kill(),
      this.receiver?.close(),
    ]);
    this.authority?.remove();
  }

  /** A project on Pro that forwards everything. */
  async forwardingProject(): Promise<string> {
    const id = newId();
    await this.primary.query(
      DATABASE,
      `insert into project (id, name, tier) values ('${id}', 'A project', 'pro')`,
    );
    await this.primary.query(
      DATABASE,
      `insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode)
       values ('${id}', true, '${new URL('/hook', this.receiver.url).href}', 'none')`,
    );
    return id;
  }

  /**
   * Sends `perSecond` records a second through HAProxy, with any result, until the returned
   * function is called; refused ones are sent again with the same id, as the loader does.
   */
  startLoad(projectId: string, perSecond: number): () => Promise<ClusterLoad> {
    const load: ClusterLoad = { acknowledged: new Set(), refusals: new Map(), refusedAt: [], slowestMs: 0 };
    const underWay = new Set<Promise<void>>();
    const startedMs = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      const due = ((performance.now() - startedMs) / 1000) * perSecond;
      for (; sent < due; sent++) {
        const one = this.sendUntilTaken(projectId, load).finally(() => underWay.delete(one));
        underWay.add(one);
      }
    }, 5);
    return async () => {
      clearInterval(timer);
      await Promise.all(underWay);
      return load;
    };
  }

  private async sendUntilTaken(projectId: string, load: ClusterLoad): Promise<void> {
    const id = newId();
    const body = JSON.stringify({
      id,
      analytics: true,
      marketing: false,
      preferences: true,
      action: 'custom',
    });
    const deadlineMs = performance.now() + DRAIN_DEADLINE_MS;
    while (performance.now() < deadlineMs) {
      const startedMs = performance.now();
      const answer = await fetch(`${this.baseUrl}/v1/projects/${projectId}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }).then(
        async (response) => {
          await response.arrayBuffer();
          return String(response.status);
        },
        (error: unknown) => `${error}, ${error instanceof Error ? error.cause : ''}`,
      );
      load.slowestMs = Math.max(load.slowestMs, performance.now() - startedMs);
      if (answer === '201' || answer === '200') {
        load.acknowledged.add(id);
        return;
      }
      load.refusals.set(answer, (load.refusals.get(answer) ?? 0) + 1);
      load.refusedAt.push(Date.now());
      await new Promise((wake) => setTimeout(wake, CLIENT_PAUSE_MS));
    }
    load.refusals.set('given up', (load.refusals.get('given up') ?? 0) + 1);
  }

  /** Waits until every message is settled. */
  async drained(): Promise<void> {
    await until(
      'nothing waits any more',
      async () =>
        (await this.primary.query(DATABASE, 'select 1 as waits from outbox_message limit 1')).length === 0,
      DRAIN_DEADLINE_MS,
    );
  }

  /** Set arithmetic over ids. */
  async accounts(projectId: string, { acknowledged }: ClusterLoad): Promise<ClusterAccounts> {
    const rows = await this.primary.query<{ id: string; outcomes: string[] | null }>(
      DATABASE,
      `select r.id, (
         select array_agg(d.outcome || coalesce(': ' || d.reason, '')) from delivery d
         where d.project_id = r.project_id and d.consent_id = r.id
       ) as outcomes
       from consent_record r where r.project_id = '${projectId}'`,
    );
    const stored = new Set(rows.map(({ id }) => id));
    const received = new Set(this.receiver.requests.map(({ headers }) => String(headers['webhook-id'])));
    const deliveredIds = rows.filter(({ outcomes }) => outcomes?.includes('delivered')).map(({ id }) => id);
    const failed = rows.filter(({ outcomes }) => outcomes && !outcomes.includes('delivered'));
    return {
      acknowledgedNotStored: [...acknowledged].filter((id) => !stored.has(id)).length,
      storedNotSettled: rows.filter(({ outcomes }) => outcomes === null).length,
      deliveredNotReceived: deliveredIds.filter((id) => !received.has(id)).length,
      failed: failed.length,
      failures: [...new Set(failed.flatMap(({ outcomes }) => outcomes ?? []))],
    };
  }
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

/** Runs roles.sql as the superuser of `url`. */
export async function createServiceRoles(
  url: string,
  { owner, runtime }: { owner: string; runtime: string },
): Promise<void> {
  await promisify(execFile)(
    'psql',
    ['--set', 'ON_ERROR_STOP=1', '-d', url, '-f', 'deploy/postgres/roles.sql'],
    {
      env: {
        PATH: process.env['PATH'],
        PGOPTIONS: `-c service.owner_password=${owner} -c service.runtime_password=${runtime}`,
      },
    },
  );
}

/** The statements of docs/deploy.md for a service behind PgBouncer. */
export function poolerSettings(): string[] {
  const page = readFileSync('docs/deploy.md', 'utf8');
  return [...page.matchAll(/^alter role service_runtime set .*;$/gm)].map(([line]) => line);
}

/** deploy/haproxy/haproxy.cfg, with other addresses. */
export function proxyConfiguration(bind: string, apis: readonly string[]): string {
  return apis.reduce(
    (text, api, index) => text.replaceAll(`10.0.0.${index + 1}:3000`, api),
    readFileSync('deploy/haproxy/haproxy.cfg', 'utf8')
      .replace('bind :80', `bind ${bind}`)
      .replaceAll('/etc/haproxy/errors', resolve('deploy/haproxy')),
  );
}
