import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { Client } from 'pg';
import { writeAudit, writeSecurityEvent } from '../../src/modules/audit/audit.log.js';
import { type AuditEvent, STATE_CHARACTERS_MAX } from '../../src/modules/audit/domain/audit-event.js';
import { AUDIT_EVENTS, SECURITY_EVENTS } from '../../src/modules/audit/audit.module.js';
import {
  dropPartitionsBefore,
  ensurePartitions,
  type PartitionedTable,
} from '../../src/platform/database/partitions.js';
import { Maintenance } from '../../src/platform/operations/maintenance.js';
import type { Author } from '../../src/modules/audit/domain/author.js';
import { auditPieces } from '../../src/modules/audit/http/audit.controller.js';
import { ExportPermits } from '../../src/platform/export/export-permits.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/people/user.js';

const AUTHOR: Author = { kind: 'system' };

interface Event {
  id: string;
  at: string;
  action: string;
  actor: { kind: string; id: string | null; name: string | null; network: string | null };
  target: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}
interface Page {
  items: Event[];
  nextCursor: string | null;
  searchedTo: string | null;
}

let service: TestService;
let ada: TestUser;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
  ada = await signUp(service);
});

afterAll(() => service.close());

const auditOf = async (project: TestProject, query = ''): Promise<Page> =>
  (await (await project.request('owner', 'GET', `/audit${query}`)).json()) as Page;

/** A project that Ada has made, renamed and given a domain to. */
async function changedProject(): Promise<string> {
  const made = await ada.request('POST', '/v1/projects', { name: 'Bakery' });
  const { id } = (await made.json()) as { id: string };
  const headers = { 'x-forwarded-for': '203.0.113.77' };
  const change = { name: 'Bread', domains: ['bread.example'] };
  expect((await ada.request('PATCH', `/v1/projects/${id}`, change, headers)).status).toBe(200);
  return id;
}

describe('GET …/audit', () => {
  it('tells who changed what, with what differed before and after, and no more of the address than its network', async () => {
    const id = await changedProject();
    const page = (await (await ada.request('GET', `/v1/projects/${id}/audit`)).json()) as Page;
    expect(page).toMatchObject({ nextCursor: null, searchedTo: null });
    expect(page.items).toMatchObject([
      {
        action: 'project.update',
        actor: { kind: 'user', id: ada.id, name: ada.email, network: '203.0.113.0/24' },
        target: null,
        before: { name: 'Bakery', domains: [] },
        after: { name: 'Bread', domains: ['bread.example'] },
      },
      { action: 'project.create', before: null, after: { name: 'Bakery', domains: [] } },
    ]);
    expect(Math.abs(Date.parse(page.items[0]?.at ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('says nothing of a change that changes nothing', async () => {
    const id = await changedProject();
    await ada.request('PATCH', `/v1/projects/${id}`, { name: 'Bread' });
    const { items } = (await (await ada.request('GET', `/v1/projects/${id}/audit`)).json()) as Page;
    expect(items).toHaveLength(2);
  });

  it('names a key by what it is called now, and leaves out the name of what is gone', async () => {
    const project = await createTestProject(service);
    await project.request('editor', 'PATCH', '', { name: 'New' });
    const [event] = (await auditOf(project)).items;
    expect(event?.actor).toMatchObject({ kind: 'api_key', name: 'editor' });
    await service.database.query('delete from api_key where id = $1', [event?.actor.id]);
    expect((await auditOf(project)).items[0]?.actor).toEqual({ ...event?.actor, name: null });
  });

  it('filters by time, action and actor, and goes on page by page', async () => {
    const project = await createTestProject(service);
    for (const name of ['A', 'B', 'C']) await project.request('editor', 'PATCH', '', { name });
    await project.request('owner', 'POST', '/api-keys', { name: 'Reports', role: 'viewer' });
    const all = (await auditOf(project)).items;
    expect(all.map(({ action }) => action)).toEqual([
      'api_key.create',
      ...Array<string>(3).fill('project.update'),
    ]);
    expect((await auditOf(project, '?action=api_key.create')).items).toEqual(all.slice(0, 1));
    const editor = all[1]?.actor.id ?? '';
    expect((await auditOf(project, `?actorId=${editor}`)).items).toEqual(all.slice(1));
    expect((await auditOf(project, '?actorKind=user')).items).toEqual([]);
    expect((await auditOf(project, `?to=${new Date(Date.now() - 3_600_000).toISOString()}`)).items).toEqual(
      [],
    );
    expect((await auditOf(project, `?from=${new Date(Date.now() - 3_600_000).toISOString()}`)).items).toEqual(
      all,
    );
    const first = await auditOf(project, '?limit=3');
    expect(first.items).toEqual(all.slice(0, 3));
    expect((await auditOf(project, `?limit=3&cursor=${first.nextCursor}`)).items).toEqual(all.slice(3));
  });

  it.each([
    '?action=consent.invent',
    '?actorKind=god',
    '?from=yesterday',
    '?actorId=',
    '?actorId=%00',
    '?limit=0',
  ])('422 for %s', async (query) => {
    const project = await createTestProject(service);
    expect((await project.request('owner', 'GET', `/audit${query}`)).status).toBe(422);
  });

  it('is a CSV file, all pages of it, in which a spreadsheet finds no formula', async () => {
    const project = await createTestProject(service);
    const em = service.database.orm.em.fork();
    await em.transactional(async (tx) => {
      for (let index = 0; index < 1001; index += 1)
        await writeAudit(tx, AUTHOR, {
          projectId: project.id,
          action: 'project.update',
          target: `=${index}`,
        });
    });
    const response = await project.request('owner', 'GET', '/audit/export?action=project.update');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows = parse(await response.text(), { columns: true }) as Record<string, string>[];
    expect(rows).toHaveLength(1001);
    expect(rows[0]).toMatchObject({
      action: 'project.update',
      actorKind: 'system',
      target: "'=1000",
      after: '',
    });
    expect(Object.keys(rows[0] ?? {})).toEqual(
      'id,at,action,actorKind,actorId,actorName,network,target,before,after'.split(','),
    );
  });
});

describe('the audit as a file', () => {
  it('of large events comes in small pieces', async () => {
    const event: AuditEvent = {
      ...({ id: newId(), projectId: newId(), actorKind: 'system', actorId: null, network: null } as const),
      ...({ action: 'configuration.save', target: null, before: null, at: new Date() } as const),
      after: { text: 'x'.repeat(30_000) },
    };
    let reads = 0;
    const source = {
      read: (limit: number) => {
        reads += 1;
        const items = Array.from({ length: limit }, () => event);
        return Promise.resolve({ items, nextCursor: reads < 4 ? 'more' : null, searchedTo: null });
      },
      namesOf: () => Promise.resolve(new Map<string, string>()),
    };
    let [longest, all] = [0, 0];
    for await (const piece of auditPieces(source)) {
      longest = Math.max(longest, piece.length);
      all += piece.length;
    }
    expect(all).toBeGreaterThan(reads * 25 * 30_000);
    expect(longest).toBeLessThan(100_000);
  });

  it('takes an export permit of the project', async () => {
    const project = await createTestProject(service);
    const permits = service.app.get(ExportPermits, { strict: false });
    const subject = { projectId: project.id, accountId: project.id };
    const release = await permits.acquire(subject, new AbortController().signal);
    const asked = Promise.all([1, 2].map(() => project.request('owner', 'GET', '/audit/export')));
    const statuses = (await asked).map(({ status }) => status);
    release();
    expect(statuses).toEqual([429, 429]);
    const response = await project.request('owner', 'GET', '/audit/export');
    expect(response.status).toBe(200);
    await response.text();
  });
});

describe('an event', () => {
  it('exists exactly if the change does', async () => {
    const project = await createTestProject(service);
    const refuse = `alter table audit_event add constraint no_more check (action <> 'api_key.rename') not valid`;
    await service.database.query(refuse);
    try {
      const [key] = await service.database.query<{ id: string; name: string }>(
        'select id, name from api_key where project_id = $1',
        [project.id],
      );
      const renamed = await project.request('owner', 'PATCH', `/api-keys/${key?.id}`, { name: 'Other' });
      expect(renamed.status).toBe(500);
      const after = await service.database.query('select id, name from api_key where id = $1', [key?.id]);
      expect(after).toEqual([key]);
    } finally {
      await service.database.query('alter table audit_event drop constraint no_more');
    }
  });

  it('is written inside a transaction only', async () => {
    const em = service.database.orm.em.fork();
    await expect(writeAudit(em, AUTHOR, { action: 'project.update' })).rejects.toThrow('transaction');
  });

  it('keeps a state up to its bound, and of a longer one on either side its length alone', async () => {
    const project = await createTestProject(service);
    /** A state of the given length in characters of JSON. */
    const state = (characters: number) => ({ note: 'x'.repeat(characters - '{"note":""}'.length) });
    const whole = state(STATE_CHARACTERS_MAX);
    const long = state(STATE_CHARACTERS_MAX + 1);
    const characters = STATE_CHARACTERS_MAX + 1;
    await service.database.orm.em.fork().transactional(async (tx) => {
      for (const [before, after] of [
        [long, whole],
        [whole, long],
      ])
        await writeAudit(tx, AUTHOR, { projectId: project.id, action: 'configuration.save', before, after });
    });
    expect((await auditOf(project)).items).toMatchObject([
      { before: whole, after: { tooLarge: true, characters } },
      { before: { tooLarge: true, characters }, after: whole },
    ]);
    const rows = await service.database.query<{ size: number }>(
      'select greatest(length(before::text), length(after::text)) as size from audit_event where project_id = $1',
      [project.id],
    );
    expect(rows.every(({ size }) => size <= STATE_CHARACTERS_MAX + 1)).toBe(true);
  });

  it('outlives its project', async () => {
    const id = await changedProject();
    expect((await ada.request('DELETE', `/v1/projects/${id}`)).status).toBe(204);
    const rows = await service.database.query<{ action: string; before: unknown }>(
      'select action, before from audit_event where project_id = $1 order by id desc',
      [id],
    );
    expect(rows).toHaveLength(3);
    expect(rows[0]).toEqual({
      action: 'project.delete',
      before: { name: 'Bread', domains: ['bread.example'] },
    });
  });

  it('can be neither changed nor taken away: not by the role that serves, nor by the owner of the table', async () => {
    const project = await createTestProject(service);
    await project.request('editor', 'PATCH', '', { name: 'New' });
    const partition = `audit_event_${new Date().toISOString().slice(0, 7).replace('-', '')}`;
    const statements = [
      `update audit_event set action = 'project.create'`,
      'delete from audit_event',
      'truncate audit_event',
      `update ${partition} set target = 'x'`,
      `delete from ${partition}`,
    ];
    for (const connectionString of [service.database.url, service.database.ownerUrl]) {
      const client = new Client({ connectionString });
      await client.connect();
      try {
        for (const statement of statements)
          await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
      } finally {
        await client.end();
      }
    }
    expect((await auditOf(project)).items).toHaveLength(1);
  });
});

describe('partitions of the audit and security logs', () => {
  it('cover last month to three months ahead', async () => {
    const names = await service.database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent in ('audit_event'::regclass, 'security_event'::regclass)`,
    );
    const now = new Date();
    const monthNames = [-1, 0, 1, 2, 3].map((offset) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset))
        .toISOString()
        .slice(0, 7)
        .replace('-', ''),
    );
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining(
        monthNames.flatMap((month) => [`audit_event_${month}`, `security_event_${month}`]),
      ),
    );
  });

  it('are dropped after 24 and 12 months', async () => {
    const { em } = service.database.orm;
    const maintenance = service.app.get(Maintenance, { strict: false });
    const runAt = async (table: PartitionedTable, now: string): Promise<string[]> => {
      await maintenance.find(`partitions-${table.name}`)?.run(new Date(now));
      const rows = await service.database.query<{ name: string }>(
        `select inhrelid::regclass::text as name from pg_inherits
         where inhparent = $1::regclass and inhrelid::regclass::text like '%2024__' order by 1`,
        [table.name],
      );
      return rows.map(({ name }) => name);
    };
    const months = { from: new Date('2024-04-01'), to: new Date('2024-05-01') };
    for (const table of [AUDIT_EVENTS, SECURITY_EVENTS]) await ensurePartitions(em, table, months);
    expect(await runAt(SECURITY_EVENTS, '2025-04-30T23:59:59Z')).toEqual([
      'security_event_202404',
      'security_event_202405',
    ]);
    expect(await runAt(SECURITY_EVENTS, '2025-05-01T00:00:00Z')).toEqual(['security_event_202405']);
    expect(await runAt(AUDIT_EVENTS, '2026-04-30T23:59:59Z')).toEqual([
      'audit_event_202404',
      'audit_event_202405',
    ]);
    expect(await runAt(AUDIT_EVENTS, '2026-05-01T00:00:00Z')).toEqual(['audit_event_202405']);
    // Even an attacker in control of the service can't drop newer partitions.
    await expect(dropPartitionsBefore(em, AUDIT_EVENTS, new Date('2030-01-01'))).rejects.toThrow(
      'not old enough',
    );
  });
});

describe('GET /v1/me/security-log', () => {
  it('shows a person her own log and nobody else’s, newest first, and goes with the account', async () => {
    const [grace, other] = await Promise.all([signUp(service), signUp(service)]);
    const em = service.database.orm.em.fork();
    const log = (userId: string, action: 'sign_in_failed' | 'password_reset') =>
      writeSecurityEvent(em, { userId, action, network: '203.0.113.0/24' });
    await log(grace.id, 'sign_in_failed');
    await log(other.id, 'sign_in_failed');
    await log(grace.id, 'password_reset');
    const page = (await (await grace.request('GET', '/v1/me/security-log?limit=1')).json()) as Page;
    expect(page.items).toMatchObject([{ action: 'password_reset', network: '203.0.113.0/24' }]);
    const next = `/v1/me/security-log?limit=1&cursor=${page.nextCursor}`;
    const rest = (await (await grace.request('GET', next)).json()) as Page;
    expect(rest.items).toMatchObject([{ action: 'sign_in_failed' }]);
    await service.database.query('delete from app_user where id = $1', [grace.id]);
    expect(await service.database.query('select from security_event where user_id = $1', [grace.id])).toEqual(
      [],
    );
  });
});
