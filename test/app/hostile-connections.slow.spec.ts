import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { CHOICE } from '../support/programs/pipeline.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** Time limit for a request to arrive, shortened so that a test can wait for it. */
const ARRIVAL_MS = 600;
const CHECK_MS = 100;
/** Delay on a busy machine that is allowed before a cut connection counts as held. */
const LATE_MS = 5_000;
const DRIP_MS = 50;
const SLOW_CONNECTIONS = 200;
const IDLE_CONNECTIONS = 10_000;
/** Files that this process needs beside the connections. */
const FILES_RESERVED = 1_000;
const OPENED_AT_ONCE = 250;
/** Time limit for a silent connection (HEADERS_TIMEOUT_MS). */
const SILENT_MS = 10_000;

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService();
  project = await createTestProject(service);
  const server = service.app.getHttpServer() as Server & { connectionsCheckingInterval: number };
  // The service's own limits are finite; the test's are shorter.
  expect(server.headersTimeout).toBeGreaterThan(0);
  expect(server.headersTimeout).toBeLessThanOrEqual(10_000);
  expect(server.requestTimeout).toBeGreaterThan(0);
  expect(server.requestTimeout).toBeLessThanOrEqual(30_000);
  server.headersTimeout = ARRIVAL_MS;
  server.requestTimeout = ARRIVAL_MS;
  server.connectionsCheckingInterval = CHECK_MS;
  // The interval is read where the server begins to listen.
  server.emit('listening');
});

afterAll(() => service.close());

interface Connection {
  socket: Socket;
  received(): string;
  closed(): boolean;
  /** How long it was open; for ever where it still is. */
  lifeMs(): number;
}

function open(baseUrl: string): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let text = '';
    let openedMs = 0;
    let lifeMs = Number.POSITIVE_INFINITY;
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => {
      openedMs = performance.now();
      socket.off('error', reject).on('error', () => {});
      resolve({
        socket,
        received: () => text,
        closed: () => lifeMs < Number.POSITIVE_INFINITY,
        lifeMs: () => lifeMs,
      });
    });
    socket.once('error', reject);
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.once('close', () => (lifeMs = performance.now() - openedMs));
  });
}

/** All that comes back for these bytes until the server closes, or until it has been quiet for a while. */
async function exchange(bytes: string): Promise<string> {
  const connection = await open(service.baseUrl);
  connection.socket.write(bytes, 'latin1');
  await until('the server closes the connection', connection.closed, ARRIVAL_MS + LATE_MS).catch(() => null);
  connection.socket.destroy();
  return connection.received();
}

const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

async function expectAnswers(baseUrl: string): Promise<void> {
  for (const path of ['/v1/pricing', '/health/ready']) expect((await fetch(baseUrl + path)).status).toBe(200);
}

const recordCount = async (): Promise<number> =>
  Number((await service.database.query<{ count: string }>('select count(*) from consent_record'))[0]?.count);

describe('clients that take their time', () => {
  it(`${SLOW_CONNECTIONS} that drip headers are cut off with 408, and hold nobody up`, async () => {
    const slow = await Promise.all(Array.from({ length: SLOW_CONNECTIONS }, () => open(service.baseUrl)));
    for (const { socket } of slow) socket.write('GET /v1/pricing HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    const dripping = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('a');
    }, DRIP_MS);
    await expectAnswers(service.baseUrl);
    await until('all of them are cut off', () => slow.every(({ closed }) => closed()));
    clearInterval(dripping);
    for (const { received } of slow) {
      expect(statusesIn(received())).toEqual([408]);
      expect(received()).toContain('"code":"request_timeout"');
    }
  });

  it('half a body is cut off with 408, and stores nothing', async () => {
    const before = await recordCount();
    const body = JSON.stringify(CHOICE);
    for (const path of [`/v1/projects/${project.id}/consents`, '/v1/auth/sign-in/email']) {
      const answer = await exchange(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
      );
      expect(statusesIn(answer)).toEqual([408]);
    }
    expect(await recordCount()).toBe(before);
  });

  it('a client that leaves in the middle of a body stores nothing and breaks nothing', async () => {
    const before = await recordCount();
    for (let time = 0; time < 50; time++) {
      const { socket } = await open(service.baseUrl);
      socket.write(
        `POST /v1/projects/${project.id}/consents HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"analytics":true`,
        () => socket.resetAndDestroy(),
      );
    }
    await expectAnswers(service.baseUrl);
    expect(await recordCount()).toBe(before);
  });

  it('a connection that never says anything is closed', async () => {
    const silent = await open(service.baseUrl);
    await until('it is closed', silent.closed);
    expect(statusesIn(silent.received())).toEqual([408]);
  });
});

describe('requests that two readers may read differently (request smuggling)', () => {
  const HIDDEN = 'GET /v1/pricing HTTP/1.1\r\nHost: a\r\n\r\n';
  const post = (headers: string, body: string): string =>
    `POST /v1/projects HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;

  it.each([
    ['a length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${HIDDEN}`)],
    ['chunks and a length', post('Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${HIDDEN}`)],
    ['two lengths', post(`Content-Length: 0\r\nContent-Length: ${HIDDEN.length}`, HIDDEN)],
    ['a list of lengths', post(`Content-Length: 0, ${HIDDEN.length}`, HIDDEN)],
    ['a length with a sign', post('Content-Length: +0', HIDDEN)],
    ['a negative length', post('Content-Length: -1', HIDDEN)],
    ['a hexadecimal length', post('Content-Length: 0x0', HIDDEN)],
    ['an unknown encoding', post('Transfer-Encoding: xchunked', `0\r\n\r\n${HIDDEN}`)],
    ['chunks that are not last', post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${HIDDEN}`)],
    ['a space before the colon', post('Transfer-Encoding : chunked', `0\r\n\r\n${HIDDEN}`)],
    ['a space before the name', post('X: y\r\n Content-Length: 0', HIDDEN)],
    ['a chunk size that is none', post('Transfer-Encoding: chunked', `zz\r\n\r\n${HIDDEN}`)],
    ['a chunk longer than it says', post('Transfer-Encoding: chunked', `1\r\nabcdef\r\n0\r\n\r\n${HIDDEN}`)],
    ['NUL in a header', post('X-A: a\u0000b', HIDDEN)],
    ['a bare CR in a header', post('X-A: a\rContent-Length: 0', HIDDEN)],
    ['no host', `GET /v1/pricing HTTP/1.1\r\n\r\n${HIDDEN}`],
  ])('%s: 400, and nothing behind it is read', async (_, bytes) => {
    const answer = await exchange(bytes);
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).not.toContain('perMonth');
  });

  it('CONNECT is no way through', async () => {
    expect(await exchange('CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
  });
});

describe('pipelining', () => {
  it('is answered in order, each request by its own answer', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `pipelined-${i}`);
    const requests = names.map((name, i) => {
      const path = i % 2 === 0 ? '/v1/pricing' : `/v1/projects/${project.id}`;
      const last = i === names.length - 1 ? 'Connection: close\r\n' : '';
      return `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${name}\r\n${last}\r\n`;
    });
    const answer = await exchange(requests.join(''));
    expect(statusesIn(answer)).toEqual(names.map((_, i) => (i % 2 === 0 ? 200 : 401)));
    const told = [...answer.matchAll(/x-request-id: (pipelined-\d+)/gi)].map((match) => match[1]);
    expect(told).toEqual(names);
  });

  it('ends at the first request that is none', async () => {
    const good = 'GET /v1/pricing HTTP/1.1\r\nHost: a\r\n\r\n';
    const statuses = statusesIn(await exchange(`${good}hello\r\n\r\n${good}`));
    expect(statuses.slice(0, 1)).not.toEqual([]);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  });
});

describe(`${IDLE_CONNECTIONS} connections that ask nothing`, () => {
  let database: TestDatabase;
  let ownProcess: LoneService;
  beforeAll(async () => {
    database = await createTestDatabase();
    ownProcess = await startLoneService({
      NODE_ENV: 'development',
      DATABASE_URL: database.url,
      LOG_LEVEL: 'warn',
    });
  });
  afterAll(async () => {
    await ownProcess.stop();
    await database.close();
  });

  it('leave room for others, as many as the system lets one process have', async () => {
    const count = Math.min(IDLE_CONNECTIONS, openFilesMax() - FILES_RESERVED);
    expect(count).toBeGreaterThan(0);
    const idle: Connection[] = [];
    while (idle.length < count) {
      const some = Math.min(OPENED_AT_ONCE, count - idle.length);
      idle.push(...(await Promise.all(Array.from({ length: some }, () => open(ownProcess.baseUrl)))));
    }
    await expectAnswers(ownProcess.baseUrl);
    // The answers did not wait for their end.
    expect(idle.some(({ closed }) => !closed())).toBe(true);
    // On a machine that takes long to open them, the first have had their time.
    expect(idle.filter(({ lifeMs }) => lifeMs() < SILENT_MS)).toHaveLength(0);
    for (const { socket } of idle) socket.destroy();
    await expectAnswers(ownProcess.baseUrl);
    expect(ownProcess.output()).not.toMatch(/EMFILE|"level":[56]0/);
  });
});

/** How many files this process may open; where the system does not tell, a usual number. */
function openFilesMax(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 4096);
  } catch {
    return 4096;
  }
}
