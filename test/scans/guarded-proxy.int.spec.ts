import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GuardedProxy, REQUEST_LIMIT, type RequestLimit } from '../../src/scanner/browser/guarded-proxy.js';
import { parseExceptions } from '../../src/platform/network/address-policy.js';
import { newId } from '../../src/platform/identity/ids.js';
import { NameResolver } from '../../src/platform/network/name-resolver.js';
import { type DnsServer, startDnsServer } from '../support/fakes/dns-server.js';

const PAGE_BYTES = 10_000;

/** The addresses that src/platform/network/address-policy.spec.ts proves to be no public ones. */
const PRIVATE = privateAddresses();

/** Hosts and notations of forwarding's endpoint-policy.spec.ts, as a browser sends them. */
const NOTATIONS = [
  'localhost',
  'LOCALHOST',
  'app.localhost',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '127.1',
  '[::ffff:127.0.0.1]',
  '[::1]',
  '169.254.169.254',
  '0.0.0.0',
  '10.0.0.7',
];

let server: Server;
/** The name server's records. */
const records: Record<string, string[]> = {};
let dns: DnsServer;
let proxy: GuardedProxy;
let proxyPort: number;
/** Paths that reached the server. */
let reached: string[];
let connections: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.end(request.url === '/large' ? 'x'.repeat(10 * PAGE_BYTES) : 'here');
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  dns = await startDnsServer(records);
});
afterAll(async () => {
  await new Promise((done) => server.close(done));
  await dns.close();
});

beforeEach(async () => {
  reached = [];
  connections = 0;
  await openProxy(REQUEST_LIMIT);
});
afterEach(() => proxy.close());

async function openProxy(requestLimit: RequestLimit): Promise<void> {
  proxy = new GuardedProxy({
    resolver: new NameResolver({ timeoutMs: 1_000, servers: [dns.address] }),
    exceptions: parseExceptions([`127.0.0.1:${serverPort()}`]),
    excludedHosts: ['never.example'],
    connectTimeoutMs: 1_000,
    pageBytesMax: PAGE_BYTES,
    requestLimit,
  });
  proxyPort = await proxy.listen();
  proxy.openPage();
}

function serverPort(): number {
  return (server.address() as AddressInfo).port;
}

function privateAddresses(): string[] {
  const spec = readFileSync('src/platform/network/address-policy.spec.ts', 'utf8');
  const end = spec.indexOf("'%s is not public'");
  const lists = spec.slice(spec.lastIndexOf('it.each([', end), end);
  return [...lists.matchAll(/'([0-9a-f.:]+)'/g)].map(([, address = '']) => address);
}

/** The status line that the proxy answers a CONNECT with. */
function tunnel(authority: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(proxyPort, '127.0.0.1', () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`),
    );
    socket.once('data', (data) => {
      resolve(Number(data.toString().split(' ')[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** Requests an absolute address from the proxy; 0: it closed the connection. */
function get(url: string, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const cut = (): void => resolve({ status: 0, body: '' });
    const request = httpRequest({ port: proxyPort, host: '127.0.0.1', path: url, method, agent: false });
    request.on('error', cut);
    request.on('response', (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', cut);
    });
    request.end();
  });
}

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

it('knows the addresses that are not public', () => {
  expect(PRIVATE.length).toBeGreaterThan(45);
  expect(PRIVATE).toEqual(expect.arrayContaining(['127.0.0.1', '169.254.0.1', '::1', '64:ff9b::7f00:1']));
});

describe.each([...PRIVATE.map(inUrl), ...NOTATIONS])('%s', (host) => {
  it.each(['80', '443'])('is refused as CONNECT target on port %s', async (port) => {
    expect(await tunnel(`${host}:${port}`)).toBe(403);
  });

  it('is refused as an absolute address', async () => {
    expect((await get(`http://${host}/`)).status).toBe(403);
    expect(reached).toEqual([]);
  });
});

describe('names', () => {
  it.each([
    ['one private address', ['10.0.0.1']],
    ['a private address among public ones', ['192.0.2.1', '127.0.0.1']],
    ['a public address and loopback of IPv6', ['93.184.216.34', '::1']],
  ])('with %s are refused', async (_, addresses) => {
    const name = `${newId()}.example`;
    records[name] = addresses;
    expect(await tunnel(`${name}:443`)).toBe(403);
    expect((await get(`http://${name}/`)).status).toBe(403);
    expect(proxy.refusalOf(`https://${name}/a`)).toBe('blocked_address');
  });

  it('without an address are refused as unresolved', async () => {
    expect(await tunnel('nowhere.example:443')).toBe(502);
    expect(proxy.refusalOf('https://nowhere.example/')).toBe('unresolved');
  });
});

it.each(['22', '25', '5432', '8080', '0'])('refuses port %s', async (port) => {
  expect(await tunnel(`93.184.216.34:${port}`)).toBe(403);
});

it.each(['', 'host', '127.0.0.1', 'user@127.0.0.1:80', '127.0.0.1:80/path', 'a b:80'])(
  'refuses the CONNECT target %p',
  async (authority) => {
    expect(await tunnel(authority)).not.toBe(200);
  },
);

it.each(['never.example', 'a.never.example', 'never.example.'])(
  'refuses the excluded host %s',
  async (host) => {
    records[host] = ['93.184.216.34'];
    expect(await tunnel(`${host}:443`)).toBe(403);
    expect((await get(`http://${host}/`)).status).toBe(403);
  },
);

describe('an allowed private target', () => {
  const url = (path: string): string => `http://127.0.0.1:${serverPort()}${path}`;

  it('is reached by an absolute address and by a tunnel', async () => {
    expect(await get(url('/a?b=1'))).toEqual({ status: 200, body: 'here' });
    expect(reached).toEqual(['GET /a?b=1']);
    expect(await tunnel(`127.0.0.1:${serverPort()}`)).toBe(200);
  });

  it('is reached by its host and port alone', async () => {
    expect((await get(`http://localhost:${serverPort()}/`)).status).toBe(403);
    expect(await tunnel(`127.0.0.2:${serverPort()}`)).toBe(403);
    expect(reached).toEqual([]);
  });

  it('gets no request while no page is open', async () => {
    proxy.closePage();
    expect((await get(url('/'))).status).toBe(403);
    proxy.openPage();
    expect((await get(url('/'))).status).toBe(200);
  });

  it('is cut off after as many bytes as a page may transfer', async () => {
    const { status, body } = await get(url('/large'));
    expect(status === 0 || body.length < 10 * PAGE_BYTES).toBe(true);
    expect(proxy.refusalOf(url('/'))).toBe('too_large');
    expect((await get(url('/'))).status).toBe(403);
  });

  it.each(['consents', 'visits'])('never gets a record: POST %s', async (route) => {
    expect((await get(url(`/v1/projects/${newId()}/${route}`), 'POST')).status).toBe(204);
    expect(reached).toEqual([]);
  });

  it('gets no connection of requests that are gone before it is their turn', async () => {
    await proxy.close();
    await openProxy({ burst: 1, perSecond: 5 });
    expect((await get(url('/first'))).status).toBe(200);
    const host = `127.0.0.1:${serverPort()}`;
    for (const line of [`CONNECT ${host} HTTP/1.1`, `GET ${url('/gone')} HTTP/1.1`]) {
      const socket = connect(proxyPort, '127.0.0.1');
      socket.end(`${line}\r\nHost: ${host}\r\n\r\n`).resume();
      await once(socket, 'close');
    }
    expect((await get(url('/last'))).status).toBe(200);
    expect(reached).toEqual(['GET /first', 'GET /last']);
    expect(connections).toBe(2);
  });
});
