import { channel } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { serveScanner } from '../../src/programs/start-scanner.js';
import { AskServer } from '../../src/modules/domains/http/ask-server.js';
import { limitPipelining } from '../../src/platform/http/pipelining.js';
import { NETWORKS_PER_SITE } from '../../src/platform/network/client-network.js';
import { DemoReceiver } from '../../src/standalone/demo/demo-receiver.js';
import { freePort } from '../support/programs/free-port.js';
import { CHOICE } from '../support/programs/pipeline.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** A full read of Node is 64 KiB, about 1,400 requests of this size. */
const REQUESTS = 1_500;
const RUNNING_MAX = 4;
/** A net for a busy machine. */
const NET_MS = 600_000;
const FILLER = 'x'.repeat(1024);
const RESPONSE_KIB = 256;

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve(handler: Handler, heldBytesMax?: number): Promise<Server> {
  const server = createServer((request, response) => void handler(request, response));
  limitPipelining(server, heldBytesMax);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  });
  return server;
}

interface Client {
  socket: Socket;
  received(): string;
  statuses(): number[];
  closed(): boolean;
}

const open = (server: Server): Promise<Client> => openTo((server.address() as AddressInfo).port);

function openTo(port: number, ca?: string): Promise<Client> {
  return new Promise((resolve, reject) => {
    let text = '';
    let closed = false;
    const connected = (): void => {
      socket.off('error', reject).on('error', () => {});
      resolve({
        socket,
        received: () => text,
        closed: () => closed,
        statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1])),
      });
    };
    const socket = ca
      ? connectTls({ port, host: '127.0.0.1', ca }, connected)
      : connect(port, '127.0.0.1', connected);
    socket.once('error', reject);
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk.replaceAll(FILLER, '')));
    socket.once('close', () => (closed = true));
    stops.push(() => socket.destroy());
  });
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
/** Below the size of a read, so that what a connection holds does not depend on the system. */
const SHOT = get('/').repeat(1_000);
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const chunked = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** A handler that takes some turns, reads the body, and returns the path and the body. */
function echo(): { handler: Handler; runningMax: () => number } {
  let running = 0;
  let runningMax = 0;
  return {
    runningMax: () => runningMax,
    handler: async (request, response) => {
      runningMax = Math.max(runningMax, ++running);
      const body = await bodyOf(request);
      for (let turn = 0; turn < Number(request.url?.slice(1)) % 4; turn++) await nextTurn();
      running--;
      response.end(`<${request.url} ${body}>`);
    },
  };
}

/** Bodies of the responses, in order. */
const echoed = ({ received }: Client): string[] =>
  [...received().matchAll(/<(.*?)>/gs)].map(([, body]) => body ?? '');

describe('pipelined requests', () => {
  it.each([
    ['without bodies', (n: number) => get(`/${n}`), () => ''],
    ['with bodies', (n: number) => post(`/${n}`, `body ${n}`), (n: number) => `body ${n}`],
    ['with bodies in chunks', (n: number) => chunked(`/${n}`, `body ${n}`), (n: number) => `body ${n}`],
    [
      'with empty lines in bodies',
      (n: number) => post(`/${n}`, '\r\n'.repeat(n % 70)),
      (n: number) => '\r\n'.repeat(n % 70),
    ],
  ])('%s are answered in order, at most four at a time', async (_, requestOf, bodyFor) => {
    const { handler, runningMax } = echo();
    const client = await open(await serve(handler));
    client.socket.write(Array.from({ length: REQUESTS }, (__, n) => requestOf(n)).join(''));
    await until('all are answered', () => echoed(client).length === REQUESTS, NET_MS);
    expect(echoed(client)).toEqual(Array.from({ length: REQUESTS }, (__, n) => `/${n} ${bodyFor(n)}`));
    expect(runningMax()).toBeLessThanOrEqual(RUNNING_MAX);
    expect(runningMax()).toBeGreaterThan(1);
  });

  it('split anywhere are answered in order', async () => {
    const { handler } = echo();
    const client = await open(await serve(handler));
    const requests = Array.from({ length: 60 }, (_, n) =>
      n % 2 === 0 ? get(`/${n}`) : post(`/${n}`, 'a\r\n\r\nb'),
    );
    const bytes = requests.join('');
    for (let at = 0; at < bytes.length; at += 7) {
      client.socket.write(bytes.slice(at, at + 7));
      await nextTurn();
    }
    await until('all are answered', () => echoed(client).length === requests.length, NET_MS);
    expect(echoed(client).map((text) => text.split(' ')[0])).toEqual(requests.map((_, n) => `/${n}`));
  });

  it('wait while four of their connection are not answered; other connections do not', async () => {
    const begun: string[] = [];
    const answers: (() => void)[] = [];
    const server = await serve(({ url }, response) => {
      begun.push(url ?? '');
      if (url === '/other') response.end();
      else answers.push(() => response.end());
    });
    const client = await open(server);
    client.socket.write(Array.from({ length: 10 }, (_, n) => get(`/${n}`)).join(''));
    await until('four have begun', () => begun.length === RUNNING_MAX, NET_MS);
    const other = await open(server);
    other.socket.write(get('/other'));
    await until('the other is answered', () => other.statuses().length === 1, NET_MS);
    expect(begun).toEqual(['/0', '/1', '/2', '/3', '/other']);
    answers.shift()?.();
    await until('a fifth has begun', () => begun.length === 6, NET_MS);
    expect(begun.at(-1)).toBe('/4');
  });

  it('wait while the client does not read the responses', async () => {
    let begun = 0;
    const server = await serve((_, response) => {
      begun++;
      response.end(FILLER.repeat(RESPONSE_KIB));
    });
    const client = await open(server);
    client.socket.pause();
    client.socket.write(get('/').repeat(100));
    let [before, same] = [-1, 0];
    await until('no more begin', async () => {
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      [before, same] = [begun, begun === before ? same + 1 : 0];
      return same > 20;
    });
    // The system's buffers on both sides, and four responses.
    expect(begun).toBeLessThan(60);
    client.socket.resume();
    await until('all are answered', () => client.statuses().length === 100, NET_MS);
  });

  it('of one address are refused beyond a limit; its other requests are not', async () => {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const server = await serve(async ({ url }, response) => {
      if (url !== '/other') await released;
      response.end();
    });
    const clients = await Promise.all(Array.from({ length: 500 }, () => open(server)));
    for (const { socket } of clients) socket.write(SHOT);
    await until('some are refused', () => clients.some((client) => client.statuses()[0] === 429), NET_MS);
    const refused = clients.find((client) => client.statuses()[0] === 429);
    expect(refused?.received()).toMatch(/"code":"too_many_requests"/);
    await until('the refused connection is closed', () => refused?.closed() ?? false, NET_MS);
    const other = await open(server);
    other.socket.write(get('/other'));
    await until('the other is answered', () => other.statuses().length === 1, NET_MS);
    const accepted = clients.filter((client) => !client.closed());
    expect(accepted.length).toBeGreaterThan(100);
    for (const { socket } of accepted.slice(2)) socket.destroy();
    release();
    await until('accepted ones are answered', () =>
      accepted.slice(0, 2).every((client) => client.statuses().length === 1_000),
    );
  });

  it('of an IPv6 /48 are refused beyond ten times the limit of a /64, and no others', async () => {
    const server = await serve(() => {}, SHOT.length);
    const addresses: string[] = [];
    // Loopback has one IPv6 address.
    server.prependListener('connection', (socket: Socket) =>
      Object.defineProperty(socket, 'remoteAddress', { value: addresses.shift() }),
    );
    const shootFrom = async (address: string): Promise<Client> => {
      addresses.push(address);
      const client = await open(server);
      client.socket.write(SHOT);
      return client;
    };
    const refused = ({ statuses }: Client): boolean => statuses()[0] === 429;
    const clients: Client[] = [];
    await until(
      'a network of the site is refused',
      async () => {
        if (clients.length < 4 * NETWORKS_PER_SITE)
          clients.push(await shootFrom(`2001:db8:9:${clients.length.toString(16)}::1`));
        return clients.some(refused);
      },
      NET_MS,
    );
    // Each holds a little less than it sent: some of its requests run.
    expect(clients.length).toBeGreaterThan(NETWORKS_PER_SITE);
    const other = await shootFrom('2001:db8:a::1');
    const more = await shootFrom('2001:db8:9:ffff::1');
    await until('one more network is refused', () => refused(more), NET_MS);
    expect(refused(other)).toBe(false);
  });

  it.each([
    ['an incomplete line end', 'GET / HTTP/1.1\nHost: a\n\n'],
    ['a bare CR', 'GET / HTTP/1.1\r\nHost: a\r\r'],
    ['HTTP/0.9', 'GET /\r\n'],
  ])('cannot end their headers with %s', async (_, request) => {
    let begun = 0;
    const client = await open(
      await serve((__, response) => {
        begun++;
        response.end();
      }),
    );
    client.socket.write(request.repeat(100));
    await until('the connection is closed', client.closed, NET_MS);
    expect([begun, client.statuses()]).toEqual([0, [400]]);
  });
});

interface Target {
  port: number;
  path: string;
  /** The request of the other connection; by default one for `path`. */
  request?: string;
  ca?: string;
}

const ASK_PATH = '/api/internal/custom-domains/allowed?domain=a.example';
const servers: Record<string, () => Promise<Target>> = {
  'the API': async () => {
    const service = await startTestService();
    stops.push(() => service.close());
    const { id } = await createTestProject(service);
    // A visitor's choice.
    const request = post(`/v1/projects/${id}/consents`, JSON.stringify(CHOICE));
    return { port: Number(new URL(service.baseUrl).port), path: '/v1/pricing', request };
  },
  'the scanner': async () => {
    const port = await freePort();
    stops.push(
      await serveScanner({ port, host: '127.0.0.1', registry: new Registry(), isReady: () => true }),
    );
    return { port, path: '/health/live' };
  },
  'the ask server': async () => {
    const service = await startTestService({ CUSTOM_DOMAIN_TARGET: 'edge.service.test' });
    const ask = service.app.get(AskServer, { strict: false });
    await new Promise<void>((listening) => ask.server.listen(0, '127.0.0.1', listening));
    stops.push(
      () => ask.close(),
      () => service.close(),
    );
    return { port: (ask.server.address() as AddressInfo).port, path: ASK_PATH };
  },
  'the demo receiver': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'consent-pipelining-'));
    const receiver = new DemoReceiver(folder, 'a token', () => Promise.resolve(null));
    await receiver.start();
    stops.push(
      () => receiver.stop(),
      () => rmSync(folder, { recursive: true }),
    );
    return { port: receiver.port, path: '/', ca: readFileSync(receiver.caFile, 'utf8') };
  },
};

describe.each(Object.keys(servers))('%s', (name) => {
  it('serves another connection between pipelined requests, and answers all of them', async () => {
    const { port, path, request, ca } = await (servers[name] as () => Promise<Target>)();
    const [client, other] = [await openTo(port, ca), await openTo(port, ca)];
    const begun: unknown[] = [];
    const note = (message: unknown): void =>
      void begun.push(Reflect.get(Object(message), 'socket').remotePort);
    channel('http.server.request.start').subscribe(note);
    stops.push(() => channel('http.server.request.start').unsubscribe(note));
    const otherPort = other.socket.localPort;
    client.socket.write(get(path).repeat(REQUESTS));
    other.socket.write(request ?? get(path));
    await until('the other is answered', () => other.statuses().length === 1, NET_MS);
    if (request) expect(other.statuses()).toEqual([201]);
    expect(begun.indexOf(otherPort)).toBeLessThan(100);
    await until('all are answered', () => client.statuses().length === REQUESTS, NET_MS);
    expect(new Set(client.statuses()).size).toBe(1);
  });
});
