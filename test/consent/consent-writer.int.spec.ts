import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { ConsentHooks } from '../../src/modules/consent/consent.hooks.js';
import {
  batchStatement,
  type ConsentRow,
} from '../../src/modules/consent/infrastructure/consent-statement.js';
import { ConsentWriter, type Written } from '../../src/modules/consent/infrastructure/consent-writer.js';
import { newId } from '../../src/platform/identity/ids.js';
import { saveForwarding } from '../support/programs/pipeline.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** As documented (docs/scaling.md), and not as the source has it. */
const WAITING_ROWS_MAX = 5_000;
const WAIT_MAX_MS = 5_000;

let service: TestService;
let writer: ConsentWriter;
let project: TestProject;
let holder: Client;

beforeAll(async () => {
  service = await startTestService();
  writer = service.app.get(ConsentWriter, { strict: false });
  project = await createTestProject(service, { tier: 'pro' });
  await saveForwarding(project, { endpointUrl: 'https://consents.example.com/', authMode: 'none' });
  holder = new Client({ connectionString: service.database.ownerUrl });
  await holder.connect();
});

afterEach(async () => {
  await holder.query('rollback');
  await service.database.query('delete from consent_record');
  await service.database.query('delete from outbox_message');
});

afterAll(async () => {
  await holder.end();
  await service.close();
});

const rowOf = (fields: Partial<ConsentRow> = {}): ConsentRow => ({
  projectId: project.id,
  id: newId(),
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: null,
  customEndpoint: null,
  configHash: null,
  language: null,
  surface: null,
  services: null,
  visitorKeyHash: null,
  extraJson: null,
  originHost: null,
  ...fields,
});
const count = async (table: string): Promise<number> =>
  (await service.database.query(`select from ${table}`)).length;

/** Blocks both write connections, so that all later rows go in one batch. */
async function occupyConnections(): Promise<Promise<Written>[]> {
  await holder.query('begin');
  await holder.query('lock table project in access exclusive mode');
  const occupying: Promise<Written>[] = [];
  // Sequentially: rows written at the same time may share a batch and a connection.
  for (const waitingCount of [1, 2]) {
    occupying.push(writer.write(rowOf()));
    await until(
      `${waitingCount} of the connections wait`,
      async () => (await waitingForLock()).length === waitingCount,
    );
  }
  return occupying;
}

const waitingForLock = (): Promise<unknown[]> =>
  service.database.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );

describe('the plan of a batch', () => {
  it('finds projects and settings by their keys, though it was made while the tables are nearly empty', async () => {
    const { text } = batchStatement(
      service.app.get(ConsentHooks, { strict: false }).current.forwardingPredicate,
    );
    const { rows } = await writer['pool'].query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
    const reads = rows.flatMap(
      (row) => /Scan.* on (?:project|forwarding_settings)\b/.exec(row['QUERY PLAN'])?.[0] ?? [],
    );
    expect(reads).toEqual([
      'Scan using project_pkey on project',
      'Scan using forwarding_settings_pkey on forwarding_settings',
      'Scan using forwarding_settings_pkey on forwarding_settings',
    ]);
  });
});

describe(ConsentWriter.name, () => {
  it('writes a message for each of the records that share a batch', async () => {
    const occupying = await occupyConnections();
    const rows = Array.from({ length: 50 }, () => writer.write(rowOf()));
    await holder.query('rollback');
    const written = await Promise.all([...occupying, ...rows]);
    expect(written.every(({ kind }) => kind === 'inserted')).toBe(true);
    expect([await count('consent_record'), await count('outbox_message')]).toEqual([52, 52]);
  });

  it('stores an id that comes twice in one batch once, with one message', async () => {
    const occupying = await occupyConnections();
    const id = newId();
    const twice = [writer.write(rowOf({ id })), writer.write(rowOf({ id })), writer.write(rowOf())];
    await holder.query('rollback');
    await Promise.all(occupying);
    const [one, again, other] = (await Promise.all(twice)).map(({ kind }) => kind);
    // The second row goes in the next batch, which may be faster on the other connection.
    expect([one, again].toSorted()).toEqual(['conflict', 'inserted']);
    expect(other).toBe('inserted');
    expect([await count('consent_record'), await count('outbox_message')]).toEqual([4, 4]);
  });

  it('refuses at once what is above the line, and takes what is in it', async () => {
    const occupying = await occupyConnections();
    const inLine = Array.from({ length: WAITING_ROWS_MAX }, () => writer.write(rowOf()));
    expect(() => writer.write(rowOf())).toThrow('Too many requests are waiting');
    const answer = await fetch(`${service.baseUrl}/v1/projects/${project.id}/consents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"analytics":true,"marketing":true,"preferences":true,"action":"custom"}',
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.json()).toMatchObject({ code: 'overloaded' });
    await holder.query('rollback');
    const written = await Promise.all([...occupying, ...inLine]);
    expect(written.every(({ kind }) => kind === 'inserted')).toBe(true);
    expect(await count('consent_record')).toBe(WAITING_ROWS_MAX + 2);
  });

  it('lets nobody wait for ever for a database that does not answer', async () => {
    const occupying = await occupyConnections();
    const ends = await Promise.allSettled([...occupying, writer.write(rowOf())]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (const end of ends) {
      expect(end).toMatchObject({ reason: { code: 'temporarily_unavailable' } });
    }
  });

  it('refuses a row in its time, also while its statement still runs', async () => {
    const occupying = Promise.allSettled(await occupyConnections());
    // Its own statement begins once the server has canceled those before it.
    await sleep(WAIT_MAX_MS / 2);
    await expect(writer.write(rowOf())).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      details: { retryAfterSeconds: 2 },
    });
    expect((await waitingForLock()).length).toBeGreaterThan(0);
    await occupying;
  });
});
