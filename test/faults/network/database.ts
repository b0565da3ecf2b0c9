import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { Client } from 'pg';
import { postgresUser } from '../../support/programs/debian.js';
import { killTree } from '../../support/programs/processes.js';
import { until } from '../../support/until.js';
import { mountSmallDisk, type SmallDisk } from '../disk.js';
import type { Network } from './network.js';
import type { PartName } from './parts.js';
import type { Programs } from './programs.js';

const SERVERS = ['db-0', 'db-1', 'db-2'] as const;
type ServerName = (typeof SERVERS)[number];
const REST_PORT = 8008;
const SERVER_PORT = 5432;
const LOOK_MAX_MS = 1_500;
/** Enough for the records and the log of a long run. */
const DISK_BYTES = 6 * 1024 ** 3;
/** The end of a lease, an election, and the rewinding of the former primary. */
const WHOLE_DEADLINE_MS = 120_000;

/** A member in Patroni's view of the cluster. */
interface Member {
  name: ServerName;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
  lag?: number | string;
  timeline?: number;
}

/** Three PostgreSQL servers under Patroni, with etcd, as deploy/patroni/patroni.yml describes them. */
export class DatabaseCluster {
  readonly disks = new Map<ServerName, SmallDisk>();

  constructor(
    private readonly network: Network<PartName>,
    private readonly programs: Programs,
    private readonly folder: string,
    readonly password: string,
  ) {}

  async start(): Promise<void> {
    this.startEtcd();
    for (const server of SERVERS) this.startServer(server);
    await this.whole();
  }

  private startEtcd(): void {
    const address = this.network.addressOf('etcd');
    const peers = `http://${address}:2380`;
    const clients = `http://${address}:2379`;
    const options = {
      name: 'etcd',
      'data-dir': join(this.folder, 'etcd'),
      'listen-client-urls': clients,
      'advertise-client-urls': clients,
      'listen-peer-urls': peers,
      'initial-advertise-peer-urls': peers,
      'initial-cluster': `etcd=${peers}`,
    };
    const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    this.programs.start('etcd', ['etcd', ...given], { within: this.network.within('etcd') });
  }

  private startServer(server: ServerName): void {
    const address = this.network.addressOf(server);
    const folder = join(this.folder, server);
    const disk = mountSmallDisk(folder, `${folder}.img`, DISK_BYTES);
    this.disks.set(server, disk);
    mkdirSync(folder, { recursive: true });
    const { uid = 0, gid = 0 } = postgresUser();
    chownSync(folder, uid, gid);
    chmodSync(folder, 0o755);
    const configuration = load(readFileSync('deploy/patroni/patroni.yml', 'utf8')) as PatroniConfiguration;
    const { postgresql } = configuration;
    for (const user of Object.values(postgresql.authentication)) user.password = this.password;
    const file = `${folder}.yml`;
    writeFileSync(
      file,
      JSON.stringify({
        ...configuration,
        name: server,
        etcd3: { hosts: [`${this.network.addressOf('etcd')}:2379`] },
        restapi: { listen: `${address}:${REST_PORT}`, connect_address: `${address}:${REST_PORT}` },
        postgresql: {
          ...postgresql,
          listen: `${address}:${SERVER_PORT}`,
          connect_address: `${address}:${SERVER_PORT}`,
          data_dir: this.dataFolder(server),
          pgpass: join(folder, 'pgpass'),
          pg_hba: postgresql.pg_hba.map((line) => line.replace('10.0.0.0/24', '10.91.0.0/24')),
          parameters: { unix_socket_directories: '' },
        },
      }),
    );
    chownSync(file, uid, gid);
    this.programs.start(server, ['patroni', file], { within: this.network.within(server), asPostgres: true });
  }

  dataFolder(server: ServerName): string {
    return join(this.folder, server, 'data');
  }

  /** As the superuser, at the server that holds the lease. */
  async withDatabase<T>(work: (client: Client) => Promise<T>, database: string): Promise<T> {
    const client = new Client({
      connectionString: this.url(await this.leader(), {
        database,
        role: 'postgres',
        password: this.password,
      }),
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

  url(
    server: ServerName,
    { database, role, password }: { database: string; role: string; password: string },
  ): string {
    return `postgresql://${role}:${password}@${this.network.addressOf(server)}:${SERVER_PORT}/${database}`;
  }

  /** The server that holds the lease. */
  async leader(): Promise<ServerName> {
    const looks = await Promise.all(SERVERS.map((server) => this.ask(server, 'primary')));
    const leader = SERVERS.find((_, index) => looks[index]?.ok);
    if (!leader) throw new Error('no server is primary');
    return leader;
  }

  /** The server that currently has the role. */
  async serverOf(role: 'primary' | 'sync' | 'async'): Promise<ServerName> {
    const members = await this.members();
    const wanted = { primary: 'leader', sync: 'sync_standby', async: 'replica' }[role];
    const member = members.find((each) => each.role === wanted);
    if (!member) throw new Error(`no server is ${role}: ${JSON.stringify(members)}`);
    return member.name;
  }

  /** Waits until the primary has its synchronous and its asynchronous standby, which follow it closely. */
  whole(): Promise<boolean> {
    const roles = ['leader', 'replica', 'sync_standby'];
    let seen: Member[] = [];
    return until(
      'the database has a primary and both standbys',
      async () => {
        seen = await this.members().catch(() => []);
        const timelines = new Set(seen.map(({ timeline }) => timeline));
        return (
          roles.join() ===
            seen
              .map(({ role }) => role)
              .toSorted()
              .join() &&
          timelines.size === 1 &&
          seen.every(({ state }) => state === 'running' || state === 'streaming')
        );
      },
      WHOLE_DEADLINE_MS,
    ).catch((error: unknown) => {
      const outputs = SERVERS.map((server) => `${server}: ${this.programs.tail(server)}`);
      throw new Error(`${String(error)}\n${JSON.stringify(seen)}\n${outputs.join('\n')}`);
    });
  }

  /** Hands the lease over in an orderly way. */
  async switchOver(): Promise<void> {
    const [leader, candidate] = [await this.serverOf('primary'), await this.serverOf('sync')];
    const response = await fetch(`${this.rest(leader)}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader, candidate }),
    });
    if (!response.ok) throw new Error(`switchover: ${response.status} ${await response.text()}`);
    await this.another(leader);
  }

  /** `kill -9` of Patroni and PostgreSQL on a server, and a fresh start. */
  async reset(server: ServerName): Promise<void> {
    await this.programs.restart(server, async () => {
      await killTree(readPostmaster(this.dataFolder(server)));
    });
  }

  /** Waits until another server than `former` is primary. */
  another(former: ServerName): Promise<boolean> {
    return until(
      `another server than ${former} is primary`,
      async () => {
        const looks = await Promise.all(
          SERVERS.filter((server) => server !== former).map((server) => this.ask(server, 'primary')),
        );
        return looks.some((look) => look?.ok);
      },
      WHOLE_DEADLINE_MS,
    );
  }

  private async members(): Promise<Member[]> {
    for (const server of SERVERS) {
      const response = await this.ask(server, 'cluster');
      if (response?.ok) return ((await response.json()) as { members: Member[] }).members;
    }
    throw new Error('no Patroni answers');
  }

  private ask(server: ServerName, path: string): Promise<Response | null> {
    return fetch(`${this.rest(server)}/${path}`, { signal: AbortSignal.timeout(LOOK_MAX_MS) }).catch(
      () => null,
    );
  }

  private rest(server: ServerName): string {
    return `http://${this.network.addressOf(server)}:${REST_PORT}`;
  }
}

/** The pid of the server's first process. */
export function readPostmaster(dataFolder: string): number {
  return Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

interface PatroniConfiguration {
  postgresql: {
    pg_hba: string[];
    authentication: Record<string, { username: string; password: string }>;
  };
}
