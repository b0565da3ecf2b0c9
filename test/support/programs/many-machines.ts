import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/standalone/embedded-postgres.js';
import { FORWARDING_HOLD } from '../../../src/modules/forwarding/forwarding.events.js';
import { newId } from '../../../src/platform/identity/ids.js';
import { mountMemory } from '../../faults/disk.js';
import { killPostgres, Processes, type ServiceProcess, signalPostgres } from './processes.js';
import { makeTestAuthority, type Receiver, startReceiver, type TestAuthority } from '../fakes/receiver.js';
import { until } from '../until.js';

/** Long enough for a machine that is busy with everything at once: these tests are of nothing that takes long. */
const FORWARDING_TIMEOUT_MS = 4000;
/** A lease just longer than an attempt may take, so that what a dead worker held is free again soon. */
const LEASE_MS = 5000;
/** Pause of a client after `Retry-After`. */
const CLIENT_PAUSE_MS = 50;
const DRAIN_DEADLINE_MS = 40_000;

/** What callers saw. */
export interface LoadReport {
  /** Ids of the records that were acknowledged. */
  acknowledged: string[];
  /** Answers other than 201 and 200, and refusals to connect; a 503 with Retry-After is none. */
  unexpected: string[];
  /** How often a caller got 503 and had to retry. */
  unavailable: number;
  slowestMs: number;
}

/** One API, its own PostgreSQL that keeps what it commits, a receiver, and as many workers as a test starts. */
export class ManyMachines {
  private constructor(
    readonly processes: Processes,
    readonly api: ServiceProcess,
    readonly receiver: Receiver,
    private readonly parts: {
      postgresDir: string;
      postgres: EmbeddedPostgres;
      authority: TestAuthority;
      environment: Record<string, string>;
    },
  ) {}

  /** `environment` adds to the settings of every process, e.g. REDIS_URL. */
  static async start(environment: Record<string, string> = {}): Promise<ManyMachines> {
    const processes = new Processes();
    const authority = await makeTestAuthority();
    const receiver = await startReceiver(authority.authority);
    const postgresDir = processes.dataFolder();
    const postgres = await startEmbeddedPostgres(join(postgresDir, 'postgres'));
    const settings = {
      NODE_ENV: 'development',
      DATABASE_URL: postgres.databaseUrl,
      DATABASE_OWNER_URL: postgres.ownerUrl,
      RUN_WORKER: 'false',
      INGEST_RATE_PER_MINUTE: '0',
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      AUTH_SECRET: randomBytes(32).toString('base64url'),
      DATA_DIR: processes.folder(),
      FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
      FORWARDING_EXTRA_CA_FILE: authority.caFile,
      FORWARDING_CONNECT_TIMEOUT_MS: String(FORWARDING_TIMEOUT_MS),
      FORWARDING_TIMEOUT_MS: String(FORWARDING_TIMEOUT_MS),
      OUTBOX_LEASE_MS: String(LEASE_MS),
      ...environment,
    };
    const api = await processes.startApi({ environment: settings });
    await api.ready();
    return new ManyMachines(processes, api, receiver, {
      postgresDir,
      postgres,
      authority,
      environment: settings,
    });
  }

  /** Kills all running processes. */
  async close(): Promise<void> {
    await this.processes.close();
    await this.receiver.close();
    this.parts.authority.remove();
  }

  async startWorker(): Promise<ServiceProcess> {
    const worker = await this.processes.startWorker({ environment: this.parts.environment });
    await worker.ready();
    return worker;
  }

  /** `kill -9` of PostgreSQL, all of it. */
  async killPostgres(): Promise<void> {
    await killPostgres(this.parts.postgresDir);
  }

  /** Pauses all processes of PostgreSQL, or resumes them. */
  signalPostgres(signal: 'SIGSTOP' | 'SIGCONT'): void {
    signalPostgres(this.parts.postgresDir, signal);
  }

  /**
   * Mounts a disk of `bytes` in memory over a folder of PostgreSQL's data, e.g. `pg_wal`, whose files it copies. Returns the
   * folder; the caller unmounts it before `close`.
   */
  async moveToSmallDisk(name: string, bytes: number): Promise<string> {
    const [row] = await this.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    const folder = join(row?.folder ?? '', name);
    await this.parts.postgres.stop();
    const kept = `${folder}-kept`;
    renameSync(folder, kept);
    mountMemory(folder, bytes);
    execFileSync('cp', ['-a', `${kept}/.`, folder]);
    rmSync(kept, { recursive: true });
    await this.revivePostgres();
    return folder;
  }

  /** Starts PostgreSQL again on its port and waits until it answers. */
  async revivePostgres(): Promise<void> {
    const unwatch = this.parts.postgres.keepRunning();
    await until('PostgreSQL answers', () =>
      this.query('select 1').then(
        () => true,
        () => false,
      ),
    );
    unwatch();
  }

  async query<Row extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.parts.postgres.superuserUrl });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** A project on Pro that forwards everything to `path` of the receiver. */
  async forwardingProject(path = '/hook'): Promise<string> {
    const id = newId();
    await this.query("insert into project (id, name, tier) values ($1, 'A project', 'pro')", [id]);
    await this.query(
      `insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode) values ($1, true, $2, 'none')`,
      [id, new URL(path, this.receiver.url).href],
    );
    return id;
  }

  /** Posts one record with a new id, as a banner does. */
  post(projectId: string, id: string): Promise<Response> {
    return fetch(`${this.api.baseUrl}/v1/projects/${projectId}/consents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, analytics: true, marketing: false, preferences: true, action: 'custom' }),
    });
  }

  /** Posts `count` records and expects each to be acknowledged. Returns their ids. */
  async acknowledge(projectId: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    const statuses = await Promise.all(ids.map(async (id) => (await this.post(projectId, id)).status));
    const refused = statuses.filter((status) => status !== 201);
    if (refused.length > 0) throw new Error(`${refused.length} records were answered ${refused[0]}`);
    return ids;
  }

  /**
   * Clients that post without pause until the returned function is called. Like a banner, each sends the same
   * record again until it is acknowledged.
   */
  startLoad(
    projectIds: string[],
    clients = 20,
    /** Filled while the load runs. */
    report = emptyReport(),
  ): () => Promise<LoadReport> {
    const stop = new AbortController();
    const client = async (projectId: string): Promise<void> => {
      while (!stop.signal.aborted) {
        const id = newId();
        while (!(await this.send(projectId, id, report)) && !stop.signal.aborted)
          await new Promise((wake) => setTimeout(wake, CLIENT_PAUSE_MS));
      }
    };
    const all = Promise.all(
      Array.from({ length: clients }, (_, index) => client(projectIds[index % projectIds.length] ?? '')),
    );
    return async () => {
      stop.abort();
      await all;
      return report;
    };
  }

  private async send(projectId: string, id: string, report: LoadReport): Promise<boolean> {
    const startedMs = performance.now();
    try {
      const response = await this.post(projectId, id);
      await response.arrayBuffer();
      report.slowestMs = Math.max(report.slowestMs, performance.now() - startedMs);
      if (response.status === 201 || response.status === 200) {
        report.acknowledged.push(id);
        return true;
      }
      if (response.status === 503 && response.headers.has('retry-after')) report.unavailable += 1;
      else report.unexpected.push(String(response.status));
    } catch (error) {
      report.unexpected.push(String(error));
    }
    return false;
  }

  /** Ids of all stored records of the projects. */
  async stored(projectIds: string[]): Promise<Set<string>> {
    const rows = await this.query<{ id: string }>(
      'select id from consent_record where project_id = any($1::uuid[])',
      [projectIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** How often the receiver got each record. */
  received(): Map<string, number> {
    const times = new Map<string, number>();
    for (const { headers } of this.receiver.requests) {
      const id = String(headers['webhook-id']);
      times.set(id, (times.get(id) ?? 0) + 1);
    }
    return times;
  }

  /** Outcomes in the delivery log, by record. */
  async deliveries(projectIds: string[]): Promise<Map<string, string[]>> {
    const rows = await this.query<{ consentId: string; outcome: string }>(
      'select consent_id as "consentId", outcome from delivery where project_id = any($1::uuid[])',
      [projectIds],
    );
    const outcomes = new Map<string, string[]>();
    for (const { consentId, outcome } of rows)
      outcomes.set(consentId, [...(outcomes.get(consentId) ?? []), outcome]);
    return outcomes;
  }

  /** What failed, and why: `category: reason`, and how often. */
  failures(projectIds: string[]): Promise<{ why: string; times: number }[]> {
    return this.query(
      `select category || ': ' || reason as why, count(*)::int as times from delivery
       where project_id = any($1::uuid[]) and outcome = 'failed' group by 1 order by 1`,
      [projectIds],
    );
  }

  /** The number of queued messages, without hold notifications that are not due: owners are notified after five minutes. */
  async waiting(): Promise<number> {
    const [row] = await this.query<{ n: number }>(
      `select count(*)::int as n from outbox_message
       where topic <> $1 or claim_id is not null or available_at <= now()`,
      [FORWARDING_HOLD],
    );
    return row?.n ?? 0;
  }

  /** Waits until the outbox is empty. Returns how long that took. */
  async drained(deadlineMs = DRAIN_DEADLINE_MS): Promise<number> {
    const startedMs = performance.now();
    await until('the outbox is empty', async () => (await this.waiting()) === 0, deadlineMs);
    return performance.now() - startedMs;
  }
}

export function emptyReport(): LoadReport {
  return { acknowledged: [], unexpected: [], unavailable: 0, slowestMs: 0 };
}

/** The members of `these` that are not in `those`. */
export function missing(these: Iterable<string>, those: { has(id: string): boolean }): string[] {
  return [...these].filter((id) => !those.has(id));
}
