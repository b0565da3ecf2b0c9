import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { DebianPostgres } from '../support/programs/debian.js';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { until } from '../support/until.js';

const PROJECTS = 20;
/** Callers at once of each kind of request. */
const CALLERS = 12;
const LOAD_MS = 6_000;
const SAMPLE_MS = 50;
const DRAIN_DEADLINE_MS = 60_000;
/** Connections of this test, and of a start. */
const OF_OTHERS = ['test', 'consent-service start', 'consent-service migrate'];
const CHOICE = { analytics: true, marketing: false, preferences: true, action: 'custom' };

interface Bound {
  api: number;
  worker: number;
}

/** What docs/scaling.md says: the most connections of each name, of an API and of a worker. */
function documented(): Map<string, Bound> {
  const page = readFileSync('docs/scaling.md', 'utf8');
  const rows = page.matchAll(/^\| `([a-z -]+)` +\| (\d+) +\| (\d+) +\|/gm);
  return new Map(
    [...rows].map(([, name = '', api, worker]) => [name, { api: Number(api), worker: Number(worker) }]),
  );
}

/** Names with more connections than the page says, or that it does not know. */
function beyond(most: Map<string, number>, boundOf: (name: string) => number | undefined): string[] {
  return [...most].flatMap(([name, count]) => (count > (boundOf(name) ?? 0) ? [`${name}: ${count}`] : []));
}

/** Any response: a caller beyond its share is refused, and retries. */
async function answer(request: Promise<Response>): Promise<void> {
  await (await request).arrayBuffer();
}

function get({ baseUrl }: ServiceProcess, path: string, key: string): Promise<void> {
  return answer(fetch(`${baseUrl}${path}`, { headers: key ? { authorization: `Bearer ${key}` } : {} }));
}

function post({ baseUrl }: ServiceProcess, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', origin: baseUrl };
  return answer(fetch(`${baseUrl}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
}

describe('the connections of a process without Redis, as PostgreSQL counts them under load', () => {
  const processes = new Processes();
  let postgres: DebianPostgres;
  let authority: TestAuthority;
  let receiver: Receiver;
  let environment: Record<string, string>;
  /** Each with an API key of a viewer. */
  const projects: { id: string; key: string }[] = [];

  beforeAll(async () => {
    postgres = await DebianPostgres.start(processes.folder());
    authority = await makeTestAuthority();
    receiver = await startReceiver(authority.authority);
    const url = postgres.url('postgres', 'postgres');
    environment = {
      NODE_ENV: 'test',
      DATABASE_URL: url,
      RUN_WORKER: 'false',
      INGEST_RATE_PER_MINUTE: '0',
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      AUTH_SECRET: 'a'.repeat(43),
      DATA_DIR: processes.folder(),
      FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
      FORWARDING_EXTRA_CA_FILE: authority.caFile,
    };
  });

  afterAll(async () => {
    await processes.close();
    await postgres?.stop();
    await receiver?.close();
    authority?.remove();
  });

  /** Looks into `pg_stat_activity` until the work ends: the most connections of each name at one instant. */
  async function mostDuring(work: Promise<unknown>): Promise<Map<string, number>> {
    const most = new Map<string, number>();
    const ended = work.then(() => true);
    while (!(await Promise.race([ended, sleep(SAMPLE_MS, false)]))) {
      const rows = await postgres.query<{ name: string; count: number }>(
        'postgres',
        `select application_name as name, count(*)::int as count from pg_stat_activity
         where client_port is not null and application_name <> all ('{${OF_OTHERS.join()}}') group by 1`,
      );
      for (const { name, count } of rows) {
        most.set(name, Math.max(most.get(name) ?? 0, count));
      }
    }
    return most;
  }

  async function makeProjects(): Promise<void> {
    for (let count = 0; count < PROJECTS; count++) {
      const [id, key] = [newId(), `ck_${randomBytes(32).toString('base64url')}`];
      projects.push({ id, key });
      const hash = createHash('sha256').update(key).digest('hex');
      await postgres.query(
        'postgres',
        `insert into project (id, name, tier) values ('${id}', 'A project', 'business');
         insert into api_key (project_id, id, name, role, key_hash, prefix)
         values ('${id}', '${newId()}', 'A key', 'viewer', '\\x${hash}', '${key.slice(0, 8)}');
         insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode)
         values ('${id}', true, '${new URL('/hook', receiver.url).href}', 'none')`,
      );
    }
  }

  /** Everything at once that an API has a pool for. */
  async function loadApi(api: ServiceProcess): Promise<void> {
    const endsMs = performance.now() + LOAD_MS;
    const period = 'from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z';
    const calls = [
      (id: string) => post(api, `/projects/${id}/consents`, CHOICE),
      ...['/consents', '/forwarding', '', '/forwarding/deliveries'].map(
        (path) => (id: string, key: string) => get(api, `/v1/projects/${id}${path}`, key),
      ),
      (id: string, key: string) => get(api, `/v1/projects/${id}/analytics/consents?${period}`, key),
      (id: string, key: string) => get(api, `/v1/projects/${id}/consents/export?${period}`, key),
      () => post(api, '/auth/sign-in/email', { email: 'nobody@example.com', password: 'a password' }),
      () => get(api, '/health/ready', ''),
    ];
    await Promise.all(
      calls.flatMap((call) =>
        Array.from({ length: CALLERS }, async (_, caller) => {
          for (let turn = caller; performance.now() < endsMs; turn++) {
            const { id, key } = projects[turn % PROJECTS] ?? { id: '', key: '' };
            await call(id, key);
          }
        }),
      ),
    );
  }

  const drained = (): Promise<unknown> =>
    until(
      'all is delivered',
      async () => (await postgres.query('postgres', 'select from outbox_message limit 1')).length === 0,
      DRAIN_DEADLINE_MS,
    );

  it('are what docs/scaling.md says', async () => {
    const bounds = documented();
    const api = await processes.startApi({ environment });
    await api.ready();
    await makeProjects();
    const ofApi = await mostDuring(loadApi(api));
    // The worker processes the rest of the load.
    await api.stop();
    const starting = processes.startWorker({ environment });
    // From before its first connection: a worker may have sent everything by the time it is ready.
    const ofWorker = await mostDuring(starting.then((worker) => worker.ready()).then(drained));
    await (await starting).stop();
    if (process.env['CLUSTER_REPORT'])
      process.stderr.write(
        `${JSON.stringify({ api: Object.fromEntries(ofApi), worker: Object.fromEntries(ofWorker) })}\n`,
      );
    expect(beyond(ofApi, (name) => bounds.get(name)?.api)).toEqual([]);
    expect(beyond(ofWorker, (name) => bounds.get(name)?.worker)).toEqual([]);
    // These are surely full, so the load was one.
    expect(ofApi.get('consent-service ingest')).toBe(bounds.get('consent-service ingest')?.api);
    expect(ofApi.get('consent-service lists')).toBe(bounds.get('consent-service lists')?.api);
    expect(ofWorker.get('consent-service claim')).toBe(bounds.get('consent-service claim')?.worker);
  });
});
