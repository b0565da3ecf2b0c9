import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { parse } from 'yaml';
import { createTestProject } from '../support/project.js';
import { startTestService, type TestService } from '../support/service.js';

const FILE = 'openapi.json';
const CALLS = 20;

describe('OpenAPI document', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('is the committed openapi.json; npm run openapi writes it anew', async () => {
    const current: unknown = await (await fetch(`${service.baseUrl}/docs-json`)).json();
    if (process.env.UPDATE_OPENAPI === '1') writeFileSync(FILE, `${JSON.stringify(current, null, 2)}\n`);
    expect(current).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
  });

  it('is served as YAML too', async () => {
    const response = await fetch(`${service.baseUrl}/docs-yaml`);
    expect(response.headers.get('content-type')).toBe('text/yaml; charset=utf-8');
    expect(parse(await response.text())).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
  });

  it.each(['/docs-json', '/docs-yaml'])(
    'encodes %s once, compresses it, and returns 304 to its own ETag',
    async (path) => {
      const first = await fetch(`${service.baseUrl}${path}`);
      const etag = first.headers.get('etag') ?? '';
      expect(first.headers.get('content-encoding')).toBe('gzip');
      expect(first.headers.get('cache-control')).toBe('no-cache');
      await first.arrayBuffer();
      const again = await fetch(`${service.baseUrl}${path}`, { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    },
  );

  it('costs a request for the YAML much less than its encoding', async () => {
    const document = JSON.parse(readFileSync(FILE, 'utf8')) as object;
    const request = async (): Promise<unknown> => (await fetch(`${service.baseUrl}/docs-yaml`)).arrayBuffer();
    // Warm up both.
    await request();
    dump(document);
    const encodingMs = await cpuMs(() => Promise.resolve(dump(document)));
    // Client included.
    expect(await cpuMs(request)).toBeLessThan(encodingMs / 2);
  });

  it('has an example for each body, and the statuses of any route for each operation', () => {
    interface Described {
      operationId: string;
      requestBody?: { content: Record<string, { example?: unknown; schema: { example?: unknown } }> };
      responses: Record<string, unknown>;
    }
    const { paths } = JSON.parse(readFileSync(FILE, 'utf8')) as { paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as Described[]);
    expect(operations.length).toBeGreaterThan(100);
    for (const { operationId, requestBody, responses } of operations) {
      for (const { example, schema } of Object.values(requestBody?.content ?? {}))
        expect([operationId, example ?? schema.example]).not.toEqual([operationId, undefined]);
      for (const status of [400, 405, 408, 431, 500])
        expect([operationId, status, responses[status]]).not.toEqual([operationId, status, undefined]);
    }
  });

  it('lists for API keys only what a key is not refused for being one', async () => {
    const project = await createTestProject(service);
    const { paths } = JSON.parse(readFileSync(FILE, 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string; security: object[] }>>;
    };
    const headers = { authorization: `Bearer ${project.keys.owner}`, 'content-type': 'application/json' };
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, security }] of Object.entries(methods)) {
        if (security.length === 0) continue;
        const address = path.replace('{projectId}', project.id).replaceAll(/\{\w+\}/g, 'none');
        // A body that no route takes: what is refused for it has let the key in.
        const body = method === 'get' ? undefined : '{"none":1}';
        // Routes that take no body would do their work.
        const doesWork =
          /\/(leave|publish|resume|test|sync|portal|token|signing-secret.*|resend|sessions)$|^\/v1\/projects\/\{projectId\}$/;
        if (method !== 'get' && doesWork.test(path) && security.some((each) => 'apiKey' in each)) continue;
        const response = await fetch(service.baseUrl + address, {
          method: method.toUpperCase(),
          headers,
          ...(body !== undefined && { body }),
        });
        const text = await response.text();
        const isSessions = text.includes('"session_required"');
        expect([operationId, isSessions]).toEqual([operationId, !security.some((each) => 'apiKey' in each)]);
      }
    }
  });

  it('is shown to people at /docs', async () => {
    const response = await fetch(`${service.baseUrl}/docs`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('swagger-ui');
  });
});

/** Processor time of a call, the mean of `CALLS`. */
async function cpuMs(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / CALLS;
}
