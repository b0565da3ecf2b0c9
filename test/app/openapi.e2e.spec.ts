import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { load } from 'js-yaml';
import { serveApiDocument } from '../../src/platform/openapi/openapi.js';
import { errorsOf } from '../support/rules/contract.js';
import type { Json } from '../support/people/json.js';
import { createTestProject } from '../support/people/project.js';
import { closeApp, startTestService, type TestService } from '../support/programs/service.js';

const FILE = 'openapi.json';

interface DescribedResponse {
  content?: Record<string, { schema: Json; example?: unknown }>;
}

@Module({})
class NoRoutes {}

describe('OpenAPI document', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('is the committed openapi.json; npm run generate -- openapi writes it anew', async () => {
    const current: unknown = await (await fetch(`${service.baseUrl}/docs-json`)).json();
    if (process.env.UPDATE_OPENAPI === '1') writeFileSync(FILE, `${JSON.stringify(current, null, 2)}\n`);
    expect(current).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
  });

  it('is served as YAML too', async () => {
    const response = await fetch(`${service.baseUrl}/docs-yaml`);
    expect(response.headers.get('content-type')).toBe('text/yaml; charset=utf-8');
    expect(load(await response.text())).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
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

  it('has an example of each JSON response, success and error, that is valid by its schema', () => {
    type Responses = Record<string, DescribedResponse>;
    const { paths, components } = JSON.parse(readFileSync(FILE, 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string; responses: Responses }>>;
      components: { responses: Responses };
    };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const described = [
      ...operations.map(({ operationId, responses }) => ({ of: operationId, responses })),
      { of: 'shared', responses: components.responses },
    ];
    let examples = 0;
    for (const { of, responses } of described) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        for (const [type, { schema, example }] of Object.entries(content)) {
          if (!type.endsWith('json')) continue;
          expect([of, status, example]).not.toEqual([of, status, undefined]);
          expect([of, status, errorsOf(schema, example)]).toEqual([of, status, '']);
          if (type === 'application/problem+json') {
            const problem = example as { status: number; detail: string };
            expect([of, status, problem.detail]).not.toEqual([of, status, '']);
            if (/^\d/.test(status)) expect([of, status]).toEqual([of, String(problem.status)]);
          }
          examples += 1;
        }
      }
    }
    expect(examples).toBeGreaterThan(200);
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
        // No route accepts this body: a validation error shows that the key was accepted.
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
});

describe('requests for the OpenAPI document', () => {
  it.each(['/docs-json', '/docs-yaml'])(
    'read and encode it once, however many ask for %s and whatever they accept',
    async (path) => {
      const app = await NestFactory.create<NestExpressApplication>(NoRoutes, { logger: false });
      let reads = 0;
      serveApiDocument(app, () => {
        reads += 1;
        // Differs each time: a second encoding shows in the bytes, too.
        return { openapi: '3.1.0', info: { title: 'x'.repeat(1_000), version: String(reads) }, paths: {} };
      });
      try {
        await app.listen(0, '127.0.0.1');
        const address = (await app.getUrl()) + path;
        const request = async (encoding: string, etag = ''): Promise<string> => {
          const headers = { 'accept-encoding': encoding, 'if-none-match': etag };
          const response = await fetch(address, { headers });
          expect([encoding, response.headers.get('etag')?.replace('W/', '')]).toEqual([encoding, tag]);
          return response.text();
        };
        const first = await fetch(address, { headers: { 'accept-encoding': 'identity' } });
        const tag = first.headers.get('etag') ?? '';
        const text = await first.text();
        expect((load(text) as OpenAPIObject).info.version).toBe('1');
        const answers = await Promise.all(['identity', 'gzip', 'br', 'gzip'].map((each) => request(each)));
        expect(new Set(answers)).toEqual(new Set([text]));
        expect(await request('gzip', tag)).toBe('');
        expect(reads).toBe(1);
      } finally {
        await closeApp(app);
      }
    },
  );
});
