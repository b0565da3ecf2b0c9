import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BODY_DEPTH_MAX } from '../../src/platform/http/json-body.js';
import { newId } from '../../src/platform/identity/ids.js';
import {
  JSON_TYPE,
  NASTY_BODIES,
  NASTY_CREDENTIALS,
  NASTY_HEADERS,
  NASTY_METHODS,
  NASTY_QUERY_VALUES,
  NASTY_SEGMENTS,
  NASTY_VALUES,
} from '../support/fakes/hostile-values.js';
import { fillIn, type Operation, readOperations } from '../support/rules/openapi.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import {
  complaintOf,
  isOAuthError,
  type RawAnswer,
  RawClient,
  type RawRequest,
  sendBytes,
} from '../support/fakes/raw-request.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { BEHIND_LOOPBACK_PROXY, freshAddress } from '../support/people/user.js';

/** Concurrent requests. */
const CONCURRENCY = 8;
/** A net, not a measure. */
const ANSWER_MAX_MS = 120_000;

let service: TestService;
let client: RawClient;

beforeAll(async () => {
  service = await startTestService({
    ...BEHIND_LOOPBACK_PROXY,
    CUSTOM_DOMAIN_TARGET: 'edge.service.test',
    // Nothing answers: a check is unclear, at once.
    CUSTOM_DOMAIN_RESOLVERS: '127.0.0.1:9',
  });
  client = new RawClient(service.baseUrl, { connectionsMax: CONCURRENCY, timeoutMs: ANSWER_MAX_MS });
});

afterAll(async () => {
  client.close();
  await service.close();
});

/** Each from a different address, so that no limit of attempts applies. */
function send(request: RawRequest): Promise<RawAnswer> {
  return client.send({ ...request, headers: { 'x-forwarded-for': freshAddress(), ...request.headers } });
}

async function complaintsAbout(all: RawRequest[]): Promise<string[]> {
  const complaints: string[] = [];
  const queue = [...all];
  const work = async (): Promise<void> => {
    for (let sent = queue.pop(); sent; sent = queue.pop()) {
      const answer = await send(sent).catch((error: Error) => `no answer: ${error.message}`);
      const isRefused = typeof answer !== 'string' && isOAuthError(sent, answer);
      const complaint = typeof answer === 'string' ? answer : isRefused ? null : complaintOf(sent, answer);
      const shown = [sent.method, sent.path, JSON.stringify(sent.headers ?? {}), String(sent.body)].map(
        (part) => part.slice(0, 160),
      );
      if (complaint) complaints.push(`${shown.join(' ')} => ${complaint.slice(0, 400)}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return complaints;
}

async function makeTarget(): Promise<{
  project: TestProject;
  headers: Record<string, string>;
  values: Record<string, string>;
}> {
  const project = await createTestProject(service, { tier: 'business' });
  return {
    project,
    headers: { authorization: `Bearer ${project.keys.owner}` },
    values: { projectId: project.id, userId: newId(), apiKeyId: newId(), consentId: newId() },
  };
}

const operations = readOperations();
const label = ({ method, path }: Operation): string => `${method} ${path}`;
const takesBody = ({ method }: Operation): boolean => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method);

describe('no input brings the service down, and every refusal is a problem document (design §5)', () => {
  describe.each(operations.map((operation) => [label(operation), operation] as const))(
    '%s',
    (_, operation) => {
      it('whatever stands in the path', async () => {
        const { headers, values } = await makeTarget();
        const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
        const sent = names.flatMap((name) =>
          NASTY_SEGMENTS.map((segment) => ({
            method: operation.method,
            path: fillIn(operation.path, { ...values, [name]: segment }),
            headers: { ...headers, ...(operation.example && JSON_TYPE) },
            body: operation.example ? JSON.stringify(operation.example) : undefined,
          })),
        );
        expect(await complaintsAbout(sent)).toEqual([]);
      });

      it('whatever stands in the query', async () => {
        const { headers, values } = await makeTarget();
        const path = fillIn(operation.path, values);
        const queries = [
          ...[...operation.queryNames, 'unknown'].flatMap((name) => [
            ...NASTY_QUERY_VALUES.map((value) => `${name}=${value}`),
            name,
            `${name}=1&${name}=2`,
            `${name}[]=1`,
            `${name}[a]=1`,
            `${name}.a=1`,
          ]),
          '&&&===',
          '__proto__=1&constructor=1',
          'a=1&'.repeat(1500),
        ];
        const sent = queries.map((query) => ({
          method: operation.method,
          path: `${path}?${query}`,
          headers,
        }));
        expect(await complaintsAbout(sent)).toEqual([]);
      });

      it('whatever the body is', async () => {
        const { headers, values } = await makeTarget();
        const path = fillIn(operation.path, values);
        const sent = NASTY_BODIES.map((nasty) => ({
          method: operation.method,
          path,
          body: nasty.body,
          headers: { ...headers, ...nasty.headers },
        }));
        expect(await complaintsAbout(sent)).toEqual([]);
      });

      if (operation.example && takesBody(operation)) {
        const { example } = operation;
        it('whatever a field of the body is', async () => {
          const { headers, values } = await makeTarget();
          const path = fillIn(operation.path, values);
          const sent = [...Object.keys(example), 'unknown'].flatMap((name) =>
            NASTY_VALUES.map((value) => ({
              method: operation.method,
              path,
              headers: { ...headers, ...JSON_TYPE },
              body: bodyWith(example, name, value),
            })),
          );
          expect(await complaintsAbout(sent)).toEqual([]);
        });
      }

      it('whatever the method and the headers are', async () => {
        const { headers, values } = await makeTarget();
        const path = fillIn(operation.path, values);
        const sent: RawRequest[] = [
          ...NASTY_METHODS.map((method) => ({ method, path, headers })),
          ...NASTY_CREDENTIALS.map((authorization) => ({
            method: operation.method,
            path,
            headers: { authorization },
          })),
          ...NASTY_HEADERS.map((other) => ({ method: operation.method, path, headers: other })),
          ...NASTY_HEADERS.map((other) => ({
            method: operation.method,
            path,
            headers: { ...headers, ...other },
          })),
        ];
        expect(await complaintsAbout(sent)).toEqual([]);
      });
    },
  );

  it.each([
    '/',
    '//',
    '/v1',
    '/v1/',
    '/v1//projects',
    '/v1/../v1/projects',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/v1/projects/%',
    '/\\',
    '/docs/%00',
    '/docs/../../package.json',
    '/health/%ff',
    '*',
    'http://elsewhere.example.com/v1/me',
  ])('%s', async (path) => {
    const methods = ['GET', 'POST', 'DELETE', 'OPTIONS', 'TRACE'];
    expect(await complaintsAbout(methods.map((method) => ({ method, path })))).toEqual([]);
  });

  it.each([
    ['a query over 16 KiB', `GET /v1/me?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['headers over 16 KiB', `GET /v1/me HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['two lengths', 'POST /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'a length and chunks',
      'POST /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['an unknown expectation', 'GET /v1/me HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n', 417],
  ])('%s', async (_, bytes, status) => {
    const answer = await sendBytes(service.baseUrl, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/content-type: application\/problem\+json/i);
    expect(answer).toMatch(/x-content-type-options: nosniff/i);
    expect(answer).toMatch(/x-request-id: [\w-]{36}/i);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
      status,
      code: expect.any(String),
      detail: expect.any(String),
    });
  });

  it(`a body may nest ${BODY_DEPTH_MAX} levels deep, and no deeper`, async () => {
    const { project, headers } = await makeTarget();
    const nest = async (levels: number): Promise<unknown> => {
      const body = `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
      const path = `/v1/projects/${project.id}`;
      const { text } = await send({ method: 'PATCH', path, body, headers: { ...headers, ...JSON_TYPE } });
      return JSON.parse(text);
    };
    expect(await nest(BODY_DEPTH_MAX)).toMatchObject({ status: 422, errors: [{ field: 'name' }] });
    expect(await nest(BODY_DEPTH_MAX + 1)).toMatchObject({ status: 422, errors: [{ field: '' }] });
  });

  it('and the service still works', async () => {
    const { project } = await makeTarget();
    expect((await project.request('viewer', 'GET', '')).status).toBe(200);
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

/**
 * The example as JSON text with one member inserted verbatim: not all of them survive
 * JSON.stringify.
 */
function bodyWith(example: Record<string, unknown>, name: string, value: string): string {
  const others = Object.entries(example).filter(([key]) => key !== name);
  const members = others.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`);
  return `{${[...members, `${JSON.stringify(name)}:${value}`].join(',')}}`;
}
