import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { proxyConfiguration } from '../support/programs/cluster.js';
import { DebianHaProxy } from '../support/programs/debian.js';
import { freePort } from '../support/programs/free-port.js';
import { Processes } from '../support/programs/processes.js';

const CONSENTS = '/v1/projects/0197e1f0-0000-7000-8000-000000000000/consents';
const LISTS = '/v1/projects/0197e1f0-0000-7000-8000-000000000000/tier';

/** An API that is ready, and responds to every other request as `broken` says. */
let api: Server;
let proxy: DebianHaProxy;
let baseUrl: string;
let broken: 'garbage' | 'silent' | null = null;
let ready = true;
let requests = 0;
const processes = new Processes();

beforeAll(async () => {
  api = createServer((request, response) => {
    if (request.url?.startsWith('/health/')) return void response.writeHead(ready ? 200 : 503).end('{}');
    requests += 1;
    if (broken === null) return void response.writeHead(404).end('ours');
    if (broken === 'garbage') request.socket.end('no HTTP\r\n\r\n');
  });
  await new Promise<void>((listening) => api.listen(0, '127.0.0.1', listening));
  const address = `127.0.0.1:${(api.address() as AddressInfo).port}`;
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  const configuration = proxyConfiguration(`127.0.0.1:${port}`, [address, address]);
  proxy = await DebianHaProxy.start(processes.folder(), { configuration, port });
});

afterAll(async () => {
  await proxy.stop();
  api.closeAllConnections();
  api.close();
  await processes.close();
});

/** Headers of the response that any visitor may see. */
async function send(path: string, method: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${baseUrl}${path}`, { method });
  const { code } = (await response.json()) as { code: string };
  const { status, headers } = response;
  return {
    status,
    code,
    retryAfter: headers.get('retry-after'),
    type: headers.get('content-type'),
    origin: headers.get('access-control-allow-origin'),
    exposed: headers.get('access-control-expose-headers'),
  };
}

const UNAVAILABLE = {
  status: 503,
  code: 'temporarily_unavailable',
  retryAfter: '2',
  type: 'application/problem+json; charset=utf-8',
  origin: '*',
  exposed: 'Retry-After',
};

describe('deploy/haproxy', () => {
  it('passes on what the service responds', async () => {
    broken = null;
    const response = await fetch(`${baseUrl}${LISTS}`);
    expect([response.status, await response.text()]).toEqual([404, 'ours']);
  });

  it.each(['POST', 'GET'])('turns its 502 into the service’s 503 (%s)', async (method) => {
    broken = 'garbage';
    expect(await send(method === 'POST' ? CONSENTS : LISTS, method)).toEqual(UNAVAILABLE);
  });

  it('sends a record without a response to the other API, and then turns its 504 into 503', async () => {
    broken = 'silent';
    requests = 0;
    const startedMs = performance.now();
    expect(await send(CONSENTS, 'POST')).toEqual(UNAVAILABLE);
    expect(performance.now() - startedMs).toBeLessThan(8_000);
    expect(requests).toBe(2);
  });

  it('responds also where no API is left when it repeats a request', async () => {
    // HAProxy closes only connections silently that have carried a request before, on both sides.
    broken = null;
    for (let server = 0; server < 2; server++)
      await (await fetch(`${baseUrl}${CONSENTS}`, { method: 'POST' })).text();
    broken = 'silent';
    ready = false;
    expect(await send(CONSENTS, 'POST')).toEqual(UNAVAILABLE);
    requests = 0;
    expect(await send(CONSENTS, 'POST')).toEqual(UNAVAILABLE);
    // Both are known to be away.
    expect(requests).toBe(0);
    ready = true;
  });

  it('turns its own 503 into the service’s, without an API', async () => {
    api.closeAllConnections();
    await new Promise((closed) => api.close(closed));
    expect(await send(CONSENTS, 'POST')).toEqual(UNAVAILABLE);
    expect(await send(LISTS, 'GET')).toEqual(UNAVAILABLE);
  });
});
