import type { Client } from 'pg';
import { newId } from '../../src/platform/identity/ids.js';
import type { ReceiverHandle } from './receiver-handle.js';
import { isRunning, type Processes, type ServiceProcess } from '../support/programs/processes.js';
import { until } from '../support/until.js';
import type { LabInstallation, LabProjects } from './lab.js';

/** Hosts of receivers that are found by their names, beside those with an address. */
export const NAMED_HOSTS = ['one.example.com', 'two.example.com'];
const ADDRESSED_PROJECTS = 5;
/** Characters of a process's output in the report. */
const OUTPUT_SHOWN = 20_000;
const INDEXES = [0, 1] as const;

export type Role = 'api' | 'worker';

/** Where a process of the service runs, and what differs from the others. */
export interface ServicePlace {
  host: string;
  port: string;
  environment: Record<string, string>;
  /** The command that runs a program in the process's network. */
  within?: string[];
}

/** Two APIs and two workers, which a fault stops, kills and starts again. */
export abstract class Services implements LabInstallation {
  readonly services: Record<Role, ServiceProcess[]> = { api: [], worker: [] };
  private readonly started: { name: string; service: ServiceProcess }[] = [];
  abstract readonly receiver: ReceiverHandle;
  abstract readonly evidenceKey: Buffer;
  abstract readonly diskText: string;
  abstract readonly baseUrls: readonly [string, string];

  protected constructor(
    readonly processes: Processes,
    /** The built service. */
    private readonly build: string,
    private readonly healedDeadlineMs: number,
  ) {}

  abstract withDatabase<T>(work: (client: Client) => Promise<T>): Promise<T>;
  abstract readEvidence(path: string): Promise<Buffer>;
  abstract makeProjects(): Promise<LabProjects>;
  abstract close(): Promise<void>;
  protected abstract placeOf(role: Role, index: number): ServicePlace;

  /** Starts a process on its port and waits until it says that it is ready. */
  async startService(role: Role, index: number, clockOffsetMs = 0): Promise<void> {
    const { host, port, environment, within } = this.placeOf(role, index);
    const settings = {
      ...environment,
      HOST: host,
      NODE_ENV: 'development',
      ...(role === 'api' ? { PORT: port } : { WORKER_PORT: port }),
      ...(clockOffsetMs !== 0 && { LAB_CLOCK_OFFSET_MS: String(clockOffsetMs) }),
    };
    const nodeOptions = clockOffsetMs === 0 ? [] : ['--import', new URL('./clock.mjs', import.meta.url).href];
    const options = { environment: settings, programs: this.build, nodeOptions, within };
    const service =
      role === 'api' ? await this.processes.startApi(options) : await this.processes.startWorker(options);
    this.services[role][index] = service;
    this.started.push({ name: `${role}-${index}`, service });
    await service.ready();
  }

  service(role: Role, index: number): ServiceProcess {
    const service = this.services[role][index];
    if (!service) throw new Error(`${role} ${index} was never started`);
    return service;
  }

  outputs(): string[] {
    return this.started.map(({ name, service }) => `${name}: ${service.output().slice(-OUTPUT_SHOWN)}`);
  }

  async healed(): Promise<void> {
    for (const { baseUrl } of [...this.services.api, ...this.services.worker]) {
      await until(
        `${baseUrl} is ready`,
        () =>
          fetch(`${baseUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) })
            .then(isWholeAgain)
            // Also where it dies in the middle of its answer.
            .catch(() => false),
        this.healedDeadlineMs,
      );
    }
  }

  async restartDead(): Promise<string[]> {
    const dead: string[] = [];
    for (const role of ['api', 'worker'] as const) {
      for (const index of INDEXES) {
        const service = this.service(role, index);
        if (isRunning(service.pid)) continue;
        dead.push(`${role}-${index}: ${service.output().slice(-1_000)}`);
        await this.startService(role, index);
      }
    }
    return dead;
  }

  /**
   * Has the APIs' statements tell the time by a function of the lab, found ahead of PostgreSQL's own `now()`. Defaults of
   * columns and the workers' statements keep PostgreSQL's.
   */
  protected async shadowDatabaseClock(role: string): Promise<void> {
    await this.setDatabaseClock(0);
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

  /** Projects by address and by name; the first retries failures; one forwards nothing. */
  protected async insertProjects(address: string): Promise<LabProjects> {
    const hosts = [...Array.from({ length: ADDRESSED_PROJECTS }, () => address), ...NAMED_HOSTS];
    const forwarding = hosts.map(() => newId());
    const [retrying = ''] = forwarding;
    const silent = newId();
    await this.withDatabase(async (client) => {
      await client.query(
        `insert into project (id, name, tier) select id, 'A project', 'pro' from unnest($1::uuid[]) as p (id)`,
        [[...forwarding, silent]],
      );
      await client.query(
        `insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode, retry_failures)
         select id, enabled, url, 'none', id = $4::uuid
         from unnest($1::uuid[], $2::bool[], $3::text[]) as f (id, enabled, url)`,
        [
          [...forwarding, silent],
          [...forwarding.map(() => true), false],
          [...hosts, address].map((host) => `https://${host}:${this.receiver.port}/hook`),
          retrying,
        ],
      );
    });
    return { forwarding, retrying, silent };
  }
}

/** A process without its queue serves on (200), and says so. */
async function isWholeAgain(answer: Response): Promise<boolean> {
  const { info = {} } = (await answer.json()) as { info?: Record<string, { status: string }> };
  return answer.ok && Object.values(info).every(({ status }) => status === 'up');
}
