import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { idAt, newId } from '../../src/platform/identity/ids.js';
import { Metrics } from '../../src/platform/operations/metrics.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const CHOICE = { analytics: true, marketing: false, preferences: true, action: 'custom' };
const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

describe('POST /v1/projects/:projectId/consents', () => {
  let service: TestService;
  let project: TestProject;

  beforeAll(async () => {
    service = await startTestService();
    project = await createTestProject(service);
  });
  afterAll(() => service.close());

  const post = (
    body: unknown,
    headers: Record<string, string> = {},
    projectId = project.id,
  ): Promise<Response> =>
    fetch(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const stored = (id: string): Promise<Record<string, unknown>[]> =>
    service.database.query('select * from consent_record where project_id = $1 and id = $2', [
      project.id,
      id,
    ]);
  const countStored = async (): Promise<number> =>
    Number((await service.database.query<{ n: string }>('select count(*) as n from consent_record'))[0]?.n);

  it('stores a choice with its additional fields and answers 201 (spec §2.1)', async () => {
    const response = await post({
      ...CHOICE,
      hostname: 'WWW.Example.com',
      policy: { version: 3, langs: ['de', 'fr'] },
    });
    expect(response.status).toBe(201);
    const receipt = (await response.json()) as { id: string; receivedAt: string; duplicate: boolean };
    expect(receipt.duplicate).toBe(false);
    const [row] = await stored(receipt.id);
    expect(row).toMatchObject({
      ...CHOICE,
      hostname: 'www.example.com',
      extra: { policy: { version: 3, langs: ['de', 'fr'] } },
    });
    expect(row?.received_at).toEqual(new Date(receipt.receivedAt));
  });

  it('takes a beacon as text/plain', async () => {
    expect((await post(CHOICE, { 'content-type': 'text/plain;charset=UTF-8' })).status).toBe(201);
  });

  it('answers 200 for the same decision again and 409 for another one under its id', async () => {
    const id = newId();
    const countedAs = async (result: string): Promise<number> => {
      const metrics = await service.app.get(Metrics, { strict: false }).registry.metrics();
      return Number(
        new RegExp(`^consent_ingest_requests_total{result="${result}"} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0,
      );
    };
    const before = await countedAs('duplicate');
    const first = await post({ ...CHOICE, id, note: { a: 1e2, b: [null, -0] } });
    const again = await post({ ...CHOICE, note: { b: [null, 0], a: 100 }, id: id.toUpperCase() });
    const other = await post({ ...CHOICE, id, analytics: false });
    expect([first.status, again.status, other.status]).toEqual([201, 200, 409]);
    const note = { a: 1e2, b: [null, 0] };
    expect((await post({ ...CHOICE, id, note: { ...note, a: 101 } })).status).toBe(409);
    expect((await post({ ...CHOICE, id })).status).toBe(409);
    expect((await post({ ...CHOICE, id, note, custom_endpoint: 'https://a.example/' })).status).toBe(409);
    expect((await post({ ...CHOICE, id, note, hostname: 'a.example' })).status).toBe(409);
    for (const changed of [{ marketing: true }, { preferences: false }, { action: 'save' }])
      expect((await post({ ...CHOICE, id, note, ...changed })).status).toBe(409);
    const { receivedAt } = (await first.json()) as { receivedAt: string };
    expect(await again.json()).toEqual({ id, receivedAt, duplicate: true });
    expect(await other.json()).toMatchObject({ code: 'consent_id_conflict', status: 409 });
    expect((await countedAs('duplicate')) - before).toBe(1);
  });

  it('knows a decision again that was stored when the language and its like were additional fields', async () => {
    const id = newId();
    const shown = { configHash: 'a'.repeat(64), language: 'de', surface: 'banner' };
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, extra)
       values ($1, $2, true, false, true, 'custom', $3)`,
      [project.id, id, JSON.stringify({ note: 1, ...shown })],
    );
    expect((await post({ ...CHOICE, id, note: 1, ...shown })).status).toBe(200);
    for (const [name, value] of Object.entries({
      configHash: 'b'.repeat(64),
      language: 'fr',
      surface: 'api',
    })) {
      expect((await post({ ...CHOICE, id, note: 1, ...shown, [name]: value })).status).toBe(409);
    }
  });

  it('keeps one record of a decision that comes many times at once', async () => {
    const id = newId();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({ ...CHOICE, id })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    expect(await stored(id)).toHaveLength(1);
  });

  it('takes ids of up to 7 days ago and 5 minutes ahead, and no further', async () => {
    const idIn = (ms: number): string => idAt(new Date(Date.now() + ms));
    const statuses = await Promise.all(
      [-7 * DAY_MS + MINUTE_MS, -7 * DAY_MS - 1000, 5 * MINUTE_MS - 1000, 5 * MINUTE_MS + 10_000].map(
        async (ms) => (await post({ ...CHOICE, id: idIn(ms) })).status,
      ),
    );
    expect(statuses).toEqual([201, 422, 201, 422]);
  });

  it('takes a body of 16 KiB and refuses one byte more with 413', async () => {
    const padded = (bytes: number): string => JSON.stringify(CHOICE).padEnd(bytes, ' ');
    expect((await post(padded(16 * 1024))).status).toBe(201);
    const refused = await post(padded(16 * 1024 + 1));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ code: 'payload_too_large' });
  });

  it('takes 32 additional fields and refuses the 33rd', async () => {
    const fields = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, i]));
    expect((await post({ ...CHOICE, ...fields(32) })).status).toBe(201);
    expect((await post({ ...CHOICE, ...fields(33) })).status).toBe(422);
  });

  it('takes 4 KiB of additional fields and refuses one byte more', async () => {
    const text = (bytes: number): string => 'x'.repeat(bytes - '{"note":""}'.length);
    expect((await post({ ...CHOICE, note: text(4096) })).status).toBe(201);
    expect((await post({ ...CHOICE, note: text(4097) })).status).toBe(422);
  });

  it('takes additional fields that nest 4 levels deep and refuses 5', async () => {
    expect((await post({ ...CHOICE, deep: { a: { b: { c: { d: 1 } } } } })).status).toBe(201);
    expect((await post({ ...CHOICE, deep: { a: { b: { c: { d: {} } } } } })).status).toBe(422);
  });

  it.each([
    ['not JSON', '{"analytics":', 400, 'body_not_json'],
    ['an empty body', '', 400, 'body_not_json'],
    ['null', 'null', 422, 'validation_failed'],
    ['a list', '[]', 422, 'validation_failed'],
    ['a number', '7', 422, 'validation_failed'],
    ['a flag missing', { marketing: true, preferences: true, action: 'custom' }, 422, 'validation_failed'],
    ['a flag that is a text', { ...CHOICE, analytics: 'true' }, 422, 'validation_failed'],
    ['no action', { analytics: true, marketing: true, preferences: true }, 422, 'validation_failed'],
    ['an action of 65 characters', { ...CHOICE, action: 'a'.repeat(65) }, 422, 'validation_failed'],
    ['an action that begins with a digit', { ...CHOICE, action: '1a' }, 422, 'validation_failed'],
    [
      'an id that is no UUIDv7',
      { ...CHOICE, id: '0b8a6a4e-6b1e-4b8e-8a56-7f4d8d3f0a11' },
      422,
      'validation_failed',
    ],
    ['a hostname with a path', { ...CHOICE, hostname: 'a.example/x' }, 422, 'validation_failed'],
    [
      '__proto__',
      '{"analytics":true,"marketing":true,"preferences":true,"action":"a","__proto__":{"x":1}}',
      422,
      'validation_failed',
    ],
    ['a nested constructor', { ...CHOICE, x: { constructor: 1 } }, 422, 'validation_failed'],
    ['prototype', { ...CHOICE, prototype: 1 }, 422, 'validation_failed'],
    ['a NUL character', { ...CHOICE, note: 'a\0b' }, 422, 'validation_failed'],
    ['a NUL character in a name', { ...CHOICE, 'a\0b': 1 }, 422, 'validation_failed'],
    [
      'a lone surrogate',
      '{"analytics":true,"marketing":true,"preferences":true,"action":"a","x":"\\ud800"}',
      422,
      'validation_failed',
    ],
    [
      'a number past all bounds',
      '{"analytics":true,"marketing":true,"preferences":true,"action":"a","x":1e999}',
      422,
      'validation_failed',
    ],
    ['a field that the record fills in itself', { ...CHOICE, projectId: 'x' }, 422, 'validation_failed'],
  ])('refuses %s and stores nothing', async (_name, body, status, code) => {
    const before = await countStored();
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({ status, code });
    expect(await countStored()).toBe(before);
  });

  it('keeps the largest and smallest numbers as given', async () => {
    const response = await post({ ...CHOICE, big: 1e308, small: 5e-324 });
    const { id } = (await response.json()) as { id: string };
    const one = await project.request('viewer', 'GET', `/consents/${id}`);
    expect(await one.json()).toMatchObject({ additionalFields: { big: 1e308, small: 5e-324 } });
  });

  it('answers 415 for another media type and 404 for an unknown project', async () => {
    expect((await post('a=1', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await post(CHOICE, {}, newId())).status).toBe(404);
    const nonsense = await post(CHOICE, {}, 'nonsense');
    expect([nonsense.status, ((await nonsense.json()) as { code: string }).code]).toEqual([
      404,
      'project_not_found',
    ]);
  });

  it('answers a preflight for any origin', async () => {
    const response = await fetch(`${service.baseUrl}/v1/projects/${project.id}/consents`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type');
  });

  it.each([
    ['a slash at its end', (path: string) => `${path}/`],
    ['a query', (path: string) => `${path}?from=banner`],
    ['capital letters', (path: string) => path.toUpperCase()],
    ['the host before it, as a proxy may send it', (path: string) => `http://consent.example${path}`],
  ])('takes a path with %s', async (_name, pathOf) => {
    const { hostname, port } = new URL(service.baseUrl);
    const sent = request({
      hostname,
      port,
      method: 'POST',
      path: pathOf(`/v1/projects/${project.id}/consents`),
      headers: { 'content-type': 'application/json' },
    });
    sent.end(JSON.stringify(CHOICE));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(201);
  });

  it('gives every answer a request id, the headers for any origin and those of helmet', async () => {
    const others = await fetch(`${service.baseUrl}/v1/pricing`);
    const namesOfHelmet = ['content-security-policy', 'x-content-type-options', 'referrer-policy'];
    const answers = [await post(CHOICE), await post('{'), await post({}), await post(CHOICE, {}, 'nonsense')];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 422, 404]);
    for (const { headers } of answers) {
      expect(headers.get('x-request-id')).toMatch(/^[\w.-]{1,64}$/);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      for (const name of namesOfHelmet) expect(headers.get(name)).toBe(others.headers.get(name));
      expect(headers.get('x-powered-by')).toBeNull();
    }
    expect((await post(CHOICE, { 'x-request-id': 'abc-1' })).headers.get('x-request-id')).toBe('abc-1');
  });

  it('one bad row never fails its neighbours', async () => {
    const unknown = newId();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => post(CHOICE, {}, index % 10 === 3 ? unknown : project.id)),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(54);
    expect(statuses.filter((status) => status === 404)).toHaveLength(6);
  });
});

describe('domains of a project', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it.each([
    ['https://shop.example', 201],
    ['https://www.shop.example:8443', 201],
    ['https://evilshop.example', 403],
    ['https://shop.example.evil.example', 403],
    ['null', 403],
    ['nonsense', 403],
    ['http://localhost:5173', 201],
    [undefined, 201],
  ])('an Origin of %s is answered %i', async (origin, status) => {
    const project = await createTestProject(service, { domains: ['shop.example'] });
    const response = await fetch(`${service.baseUrl}/v1/projects/${project.id}/consents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(origin !== undefined && { origin }) },
      body: JSON.stringify(CHOICE),
    });
    expect(response.status).toBe(status);
    const stored = await service.database.query('select 1 from consent_record where project_id = $1', [
      project.id,
    ]);
    expect(stored).toHaveLength(status === 201 ? 1 : 0);
  });
});

describe('GET /v1/projects/:projectId/consents', () => {
  let service: TestService;
  let project: TestProject;

  beforeAll(async () => {
    service = await startTestService();
    project = await createTestProject(service);
    for (let n = 0; n < 5; n++) {
      await fetch(`${service.baseUrl}/v1/projects/${project.id}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...CHOICE,
          action: n % 2 ? 'accept_all' : 'reject_all',
          analytics: n % 2 === 1,
          hostname: `h${n}.example`,
          ...(n % 2 && { configHash: String(n).repeat(64), language: 'pt-BR', surface: 'preferences' }),
          ...(n === 4 && { language: 5, surface: 'modal' }),
          n,
        }),
      });
    }
  });
  afterAll(() => service.close());

  interface Listed {
    items: {
      id: string;
      action: string;
      additionalFields: Record<string, unknown>;
      configHash: string | null;
      language: string | null;
      surface: string | null;
    }[];
    nextCursor: string | null;
  }
  const list = async (query: string): Promise<Listed> =>
    (await (await project.request('viewer', 'GET', `/consents${query}`)).json()) as Listed;

  it('lists records, newest first, page by page', async () => {
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    const third = await list(`?limit=2&cursor=${second.nextCursor}`);
    const numbers = [first, second, third].map((page) => page.items.map((item) => item.additionalFields.n));
    expect(numbers).toEqual([[4, 3], [2, 1], [0]]);
    expect(third.nextCursor).toBeNull();
  });

  it('filters by action, hostname, flags and time of receipt', async () => {
    expect((await list('?action=accept_all')).items).toHaveLength(2);
    expect((await list('?hostname=H3.example')).items).toHaveLength(1);
    expect((await list('?analytics=false')).items).toHaveLength(3);
    const now = new Date().toISOString();
    expect((await list(`?from=${now}`)).items).toHaveLength(0);
    expect((await list(`?to=${now}&from=2020-01-01`)).items).toHaveLength(5);
  });

  it.each([
    [`configHash=${'3'.repeat(64)}`, [3]],
    ['language=PT-br', [3, 1]],
    ['surface=preferences', [3, 1]],
    ['surface=preferences&language=en', []],
  ])('filters by what was on the screen: %s', async (query, found) => {
    const { items } = await list(`?${query}`);
    expect(items.map(({ additionalFields }) => additionalFields.n)).toEqual(found);
  });

  it('shows what was on the screen, and keeps what is none of that beside it (ADR 37)', async () => {
    const [four, three] = (await list('')).items;
    expect(three).toMatchObject({
      configHash: '3'.repeat(64),
      language: 'pt-BR',
      surface: 'preferences',
      additionalFields: { n: 3 },
    });
    expect(four).toMatchObject({ configHash: null, language: null, surface: null });
    expect(four?.additionalFields).toEqual({ n: 4, language: 5, surface: 'modal' });
    const one = (await list(`/${three?.id}`)) as unknown as Listed['items'][number];
    expect(one).toMatchObject({ ...three });
  });

  it.each(['configHash=abc', 'language=english_uk', 'surface=modal'])(
    'refuses the filter %s, which no record can match',
    async (query) => {
      const response = await project.request('viewer', 'GET', `/consents?${query}`);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ errors: [{ field: query.split('=')[0] }] });
    },
  );

  it('is empty for a project without records', async () => {
    const empty = await createTestProject(service);
    expect(await (await empty.request('viewer', 'GET', '/consents')).json()).toEqual({
      items: [],
      nextCursor: null,
      searchedTo: null,
    });
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'cursor=nonsense',
    'from=yesterday',
    'from=2026-02-31',
    'analytics=maybe',
    'unknown=1',
    'action=%00',
    'hostname=%00',
    'action=a&action=b',
  ])('refuses the query %s with 422', async (query) => {
    const response = await project.request('viewer', 'GET', `/consents?${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'validation_failed' });
  });

  it('shows one record, and nothing of another project', async () => {
    const [item] = (await list('?limit=1')).items;
    const other = await createTestProject(service);
    for (const id of [item?.id, item?.id.toUpperCase()])
      expect((await project.request('viewer', 'GET', `/consents/${id}`)).status).toBe(200);
    expect((await other.request('owner', 'GET', `/consents/${item?.id}`)).status).toBe(404);
    expect((await project.request('viewer', 'GET', '/consents/nonsense')).status).toBe(404);
  });
});
