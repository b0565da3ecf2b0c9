import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BODY_DEPTH_MAX } from '../src/shared/body-depth.js';
import { newId } from '../src/shared/ids.js';
import { fillIn, type Operation, readOperations } from './support/openapi.js';
import { createTestProject, type TestProject } from './support/project.js';
import { startTestService, type TestService } from './support/service.js';
import { BEHIND_LOOPBACK_PROXY, freshAddress } from './support/user.js';

/** Requests under way at once. */
const CONCURRENCY = 8;
const DEEP = 20_000;

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | undefined;
}

interface Answer {
  status: number;
  contentType: string;
  text: string;
}

let service: TestService;
let agent: Agent;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
  agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
});

afterAll(async () => {
  agent.destroy();
  await service.close();
});

/** Sends what `fetch` would refuse to: TRACE, broken paths, bodies on GET. */
function send({ method, path, headers = {}, body }: Sent): Promise<Answer> {
  const { port } = new URL(service.baseUrl);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        agent,
        port,
        method,
        path,
        headers: {
          // Each from an address of its own, so that no limit of attempts is met.
          'x-forwarded-for': freshAddress(),
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}

/** What is wrong with an answer to bad input; null where nothing is. */
function complaintOf({ method }: Sent, { status, contentType, text }: Answer): string | null {
  // The service under test sells nothing, and says so.
  const sellsNothing = status === 503 && text.includes('"billing_not_configured"');
  if (status >= 500 && !sellsNothing) return `${status} ${text}`;
  if (status < 400) return null;
  if (!contentType.startsWith('application/problem+json')) return `${status} as ${contentType}: ${text}`;
  if (method === 'HEAD') return null;
  const problem = JSON.parse(text) as Record<string, unknown>;
  const complete =
    problem['status'] === status &&
    typeof problem['type'] === 'string' &&
    typeof problem['title'] === 'string' &&
    typeof problem['instance'] === 'string' &&
    /^[a-z_]+$/.test(String(problem['code'])) &&
    String(problem['detail']).length > 5;
  return complete ? null : `incomplete problem: ${text}`;
}

async function complaintsAbout(all: Sent[]): Promise<string[]> {
  const complaints: string[] = [];
  const queue = [...all];
  const work = async (): Promise<void> => {
    for (let sent = queue.pop(); sent; sent = queue.pop()) {
      const answer = await send(sent).catch((error: Error) => `no answer: ${error.message}`);
      const complaint = typeof answer === 'string' ? answer : complaintOf(sent, answer);
      const shown = [sent.method, sent.path, JSON.stringify(sent.headers ?? {}), String(sent.body)].map(
        (part) => part.slice(0, 160),
      );
      if (complaint) complaints.push(`${shown.join(' ')} => ${complaint.slice(0, 400)}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return complaints;
}

const nested = (open: string, close: string): string => open.repeat(DEEP) + close.repeat(DEEP);

/** JSON texts that a field may be given instead of what it wants. */
const NASTY_VALUES: string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '9007199254740993',
  '99999999999999999999999999999999999999',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u202e\\ufeff"',
  '"\u0001\\u0007"',
  '"../../etc/passwd"',
  `"' or 1=1; drop table project; --"`,
  '"%00%ff%zz"',
  `"${'x'.repeat(5000)}"`,
  `"${'😀'.repeat(2000)}"`,
  '"2026-13-45T99:99:99Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"0000-00-00"',
  '[]',
  '[null]',
  '[[]]',
  '["text"]',
  '[1e400]',
  '{}',
  '{"length":3}',
  '{"toString":1,"valueOf":1}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  `[${'1,'.repeat(3000)}1]`,
  nested('[', ']'),
  nested('{"a":', '}').replace('}', '1}'),
];

const JSON_TYPE = { 'content-type': 'application/json' };

/** Bodies that are wrong as a whole. */
const NASTY_BODIES: Pick<Sent, 'headers' | 'body'>[] = [
  ...[
    '',
    ' ',
    '{',
    '{}',
    '[]',
    'null',
    'true',
    '7',
    '"text"',
    'undefined',
    'NaN',
    "{'a':1}",
    '{"a":1}}',
    '\ufeff{}',
    '\u0000',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"toString":1,"hasOwnProperty":1,"then":1}',
    '{"":""}',
    '{"a.b":1,"0":1}',
    '{"\\u0000":1,"\\ud800":1}',
    `{"${'k'.repeat(9000)}":1}`,
    `{${Array.from({ length: 3000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
    nested('[', ']'),
    `{"a":${nested('[', ']')}}`,
    '"x"'.padEnd(200_000, ' '),
  ].map((body) => ({ headers: JSON_TYPE, body })),
  { headers: JSON_TYPE, body: Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]) },
  { headers: JSON_TYPE, body: Buffer.from('{"name":"\xff\xfe"}', 'latin1') },
  {
    headers: { 'content-type': 'application/json; charset=utf-16' },
    body: Buffer.from('{"a":1}', 'utf16le'),
  },
  { headers: { 'content-type': 'application/json; charset=nonsense' }, body: '{}' },
  { headers: { 'content-type': 'application/json;;;' }, body: '{}' },
  { headers: { 'content-type': ';' }, body: '{}' },
  { headers: { 'content-type': 'text/plain' }, body: '{' },
  { headers: { 'content-type': 'text/html' }, body: '<p>' },
  { headers: { 'content-type': 'application/xml' }, body: '<a/>' },
  { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1&a[b]=2' },
  { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' },
  { headers: {}, body: '{}' },
  { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: 'no gzip' },
  { headers: { ...JSON_TYPE, 'content-encoding': 'nonsense' }, body: '{}' },
  { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(20_000_000, ' ')) },
  { headers: JSON_TYPE },
];

const NASTY_SEGMENTS = [
  '%00',
  '%ff',
  '%zz',
  '%',
  '%ed%a0%80',
  '%2e%2e%2f',
  '%2F',
  "'%20or%201=1--",
  'null',
  'undefined',
  'not-an-id',
  '00000000-0000-0000-0000-00000000000g',
  '{00000000-0000-7000-8000-000000000000}',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '%F0%9F%98%80',
  '__proto__',
  'x'.repeat(3000),
];

const NASTY_QUERY_VALUES = [
  '',
  '%00',
  '%ff',
  '%zz',
  '%ed%a0%80',
  'null',
  '-1',
  '0',
  '1e3',
  '99999999999999999999',
  '2026-02-30',
  '9999-12-31T23:59:59.999Z',
  '-271821-04-20T00:00:00Z',
  "'--",
  '%F0%9F%98%80',
  'x'.repeat(6000),
];

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
        const methods = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LINK'];
        const credentials = [
          '',
          'Bearer',
          'Bearer ',
          'Bearer \u00ff',
          'Basic Og==',
          `Bearer ${'x'.repeat(5000)}`,
        ];
        const others: Record<string, string>[] = [
          { cookie: 'session=%00; __Host-session=%zz; a' },
          { cookie: `${'a=b; '.repeat(900)}` },
          { origin: 'null', 'sec-fetch-site': 'cross-site' },
          { origin: 'http://[' },
          { host: '' },
          { host: 'a b:99999' },
          { 'x-forwarded-for': 'nonsense, ::ffff:1.2.3.4, 999.1.1.1' },
          { 'x-forwarded-for': '', 'x-forwarded-proto': 'nonsense', 'x-forwarded-host': '"' },
          { 'x-request-id': 'x'.repeat(4000) },
          { accept: 'nonsense', 'accept-encoding': '*;q=x', 'if-none-match': '"', range: 'bytes=9-1' },
          { 'x-http-method-override': 'DELETE' },
        ];
        const sent: Sent[] = [
          ...methods.map((method) => ({ method, path, headers })),
          ...credentials.map((authorization) => ({
            method: operation.method,
            path,
            headers: { authorization },
          })),
          ...others.map((other) => ({ method: operation.method, path, headers: other })),
          ...others.map((other) => ({ method: operation.method, path, headers: { ...headers, ...other } })),
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
    const answer = await sendBytes(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/content-type: application\/problem\+json/i);
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

/** The example as JSON text with one member put in as it stands: not all of them survive JSON.stringify. */
function bodyWith(example: Record<string, unknown>, name: string, value: string): string {
  const others = Object.entries(example).filter(([key]) => key !== name);
  const members = others.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`);
  return `{${[...members, `${JSON.stringify(name)}:${value}`].join(',')}}`;
}

function sendBytes(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      socket.end();
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
  });
}
