import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FailureCategory } from '../../src/platform/delivery/domain/outcome.js';
import { NameResolver } from '../../src/platform/network/name-resolver.js';
import { Sender, type SendResult } from '../../src/platform/delivery/sender.js';
import { createCertificateAuthority } from '../../src/standalone/certificates.js';
import { type DnsServer, startDnsServer } from '../support/fakes/dns-server.js';
import { startClock } from '../support/elapsed.js';
import {
  type Behaviour,
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { testSettings } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** Of a sender that is in a hurry, for tests of the deadlines. */
const CONNECT_TIMEOUT_MS = 1_000;

const TIMEOUT_MS = 3_000;
/** For the other tests: a busy machine must not turn another outcome into a timeout. */
const PATIENT_CONNECT_TIMEOUT_MS = 20_000;
const PATIENT_TIMEOUT_MS = 30_000;
/** A loaded machine may add this to a time-out. Less than `PATIENT_TIMEOUT_MS`. */
const LATE_MS = 20_000;
/** How long the rest of an answer may take (design §6.5), as documented. */
const REST_MS = 1_000;

/** Sends to the target in its argument with the compiled sender, and prints the result. */
const SEND_ONCE = `
  import { Sender } from './dist/platform/delivery/sender.js';
  const target = process.argv[1];
  const sender = new Sender({
    connectTimeoutMs: 20000, timeoutMs: 30000, allowedPrivateTargets: [target], extraCaFile: '', nameServers: [],
  });
  const url = new URL('https://' + target + '/');
  console.log(JSON.stringify(await sender.send({ url, headers: [], body: '{}' })));
  sender.onApplicationShutdown();
`;

/** Sends to two targets with a further authority, beside the default ones. */
const SEND_TO_BOTH = `
  import { Sender } from './dist/platform/delivery/sender.js';
  const [byDefault, extra, extraCaFile] = process.argv.slice(1);
  const sender = new Sender({
    connectTimeoutMs: 20000, timeoutMs: 30000, allowedPrivateTargets: [byDefault, extra], extraCaFile, nameServers: [],
  });
  const send = (target) => sender.send({ url: new URL('https://' + target + '/'), headers: [], body: '{}' });
  console.log(JSON.stringify([await send(byDefault), await send(extra)]));
  sender.onApplicationShutdown();
`;

let testAuthority: TestAuthority;
let receiver: Receiver;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  testAuthority = await makeTestAuthority();
  receiver = await startReceiver(testAuthority.authority);
});

afterEach(async () => {
  receiver.behave({ kind: 'answer', status: 204 });
  receiver.requests.length = 0;
  await Promise.all(opened.splice(0).map((resource) => resource.close()));
});

afterAll(async () => {
  await receiver.close();
  testAuthority.remove();
});

function makeSender(
  options: { targets?: string[]; dns?: DnsServer; trusted?: boolean; hurried?: boolean } = {},
): Sender {
  const { targets = [`127.0.0.1:${receiver.port}`], dns, trusted = true, hurried = false } = options;
  const connectTimeoutMs = hurried ? CONNECT_TIMEOUT_MS : PATIENT_CONNECT_TIMEOUT_MS;
  const { delivery } = testSettings('postgres://unused', {
    FORWARDING_CONNECT_TIMEOUT_MS: String(connectTimeoutMs),
    FORWARDING_TIMEOUT_MS: String(hurried ? TIMEOUT_MS : PATIENT_TIMEOUT_MS),
    FORWARDING_ALLOWED_PRIVATE_TARGETS: targets.join(','),
    ...(trusted && { FORWARDING_EXTRA_CA_FILE: testAuthority.caFile }),
  });
  const resolver = dns && new NameResolver({ timeoutMs: connectTimeoutMs, servers: [dns.address] });
  const sender = new Sender(delivery, resolver);
  opened.push({ close: async () => sender.onApplicationShutdown() });
  return sender;
}

const requestTo = (url: string) => ({
  url: new URL(url),
  headers: ['Content-Type', 'application/json', 'X-Request', randomUUID()],
  body: '{}',
});
const post = (sender: Sender, url = receiver.url, signal?: AbortSignal): Promise<SendResult> =>
  sender.send(requestTo(url), signal);
const failure = (category: FailureCategory) => ({
  kind: 'answered',
  answer: { kind: 'error', category, reason: expect.any(String) },
});
const status = (httpStatus: number) => ({ kind: 'answered', answer: { kind: 'status', httpStatus } });

async function dnsWith(records: Record<string, string[] | null>): Promise<DnsServer> {
  const dns = await startDnsServer(records);
  opened.push(dns);
  return dns;
}

describe('what the receiver answers (spec §3.3)', () => {
  it.each([200, 204, 301, 401, 500])('tells the status %d', async (code) => {
    receiver.behave({ kind: 'answer', status: code });
    expect(await post(makeSender())).toMatchObject(status(code));
  });

  it.each<[string, string[]]>([
    ['100 Continue', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n']],
    [
      'two of them',
      ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 204 \r\n\r\n'],
    ],
    [
      '102, 103 and 199',
      [
        'HTTP/1.1 102 \r\n\r\n',
        'HTTP/1.1 103 \r\nLink: <a>\r\n\r\nHTTP/1.1 199 \r\n\r\nHTTP/1.1 204 \r\n\r\n',
      ],
    ],
    [
      '101 that nobody asked for',
      ['HTTP/1.1 101 \r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nHTTP/1.1 204 \r\n\r\n'],
    ],
    ['100 in pieces', ['HT', 'TP/1.1 1', '0', '0 Continue\r', '\n\r', '\nHTTP/1.1 2', '04 \r\n\r\n']],
  ])('passes over %s and judges the final status (spec §4.1)', async (_, parts) => {
    const sender = makeSender();
    receiver.behave({ kind: 'raw', parts });
    expect(await post(sender)).toMatchObject(status(204));
    expect(await post(sender)).toMatchObject(status(204));
    // Nothing was sent twice, and the connection was kept.
    expect(receiver.requests.map(({ connection }) => connection)).toHaveLength(2);
    expect(new Set(receiver.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it('judges a refusal behind 100 Continue as one, and passes a body on that looks like an answer', async () => {
    const sender = makeSender();
    const parts = ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 \r\nContent-Length: 12\r\n\r\nHTTP/1.1 100'];
    receiver.behave({ kind: 'raw', parts });
    expect(await post(sender)).toMatchObject(status(500));
    receiver.behave({ kind: 'raw', parts: ['HTTP/1.1 204 \r\n\r\n'] });
    expect(await post(sender)).toMatchObject(status(204));
    expect(new Set(receiver.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it('does not take an endless row of interim answers for an answer', async () => {
    const interim = Array.from({ length: 300 }, () => 'HTTP/1.1 100 Continue\r\n\r\n');
    receiver.behave({ kind: 'raw', parts: interim });
    expect(await post(makeSender({ hurried: true }))).toMatchObject(failure('timeout'));
  });

  it.each<[string, string[]]>([
    ['a body', ['HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n', 'done']],
    ['chunks', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndo', 'ne\r\n', '0\r\n', '\r\n']],
  ])('reads %s to its end and keeps the connection', async (_, parts) => {
    const sender = makeSender();
    receiver.behave({ kind: 'raw', parts });
    for (let i = 0; i < 2; i++) expect(await post(sender)).toMatchObject(status(200));
    expect(new Set(receiver.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it.each<[string, string]>([
    ['says that it closes', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
    [
      'contradicts itself about its end',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['is followed by another one', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 \r\n\r\n'],
  ])('counts an answer that %s, and does not use its connection again', async (_, bytes) => {
    const sender = makeSender();
    receiver.behave({ kind: 'raw', parts: [bytes] });
    for (let i = 0; i < 2; i++) expect(await post(sender)).toMatchObject(status(200));
    expect(receiver.requests.map(({ connection }) => connection)).toHaveLength(2);
    expect(new Set(receiver.requests.map(({ connection }) => connection)).size).toBe(2);
  });

  it('does not take for an answer what came before it asked', async () => {
    const sender = makeSender();
    expect(await post(sender)).toMatchObject(status(204));
    // As proxies close idle connections. The close has arrived and is not read yet.
    receiver.sendUnasked('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n');
    expect(await post(sender)).toMatchObject(status(204));
    expect(receiver.requests).toHaveLength(2);
    expect(new Set(receiver.requests.map(({ connection }) => connection)).size).toBe(2);
  });

  it('opens another connection where its receiver has closed the kept one', async () => {
    const sender = makeSender();
    expect(await post(sender)).toMatchObject(status(204));
    receiver.disconnectIdle();
    expect(await post(sender)).toMatchObject(status(204));
    expect(receiver.requests).toHaveLength(2);
  });

  it('does not follow a redirect', async () => {
    receiver.behave({ kind: 'answer', status: 301, headers: { location: `${receiver.url}/other` } });
    expect(await post(makeSender())).toMatchObject(status(301));
    expect(receiver.requests).toHaveLength(1);
  });

  it('keeps the connection for the next request', async () => {
    const sender = makeSender();
    for (let i = 0; i < 3; i++) await post(sender);
    expect(new Set(receiver.requests.map((request) => request.connection)).size).toBe(1);
  });

  it('resumes the TLS session on the next connection', async () => {
    const sender = makeSender();
    await post(sender);
    receiver.disconnectIdle();
    await post(sender);
    expect(receiver.requests.map(({ connection, resumesSession }) => [connection, resumesSession])).toEqual([
      [expect.any(Number), false],
      [(receiver.requests[0]?.connection ?? 0) + 1, true],
    ]);
  });

  it.each<[Behaviour['kind'], Behaviour]>([
    ['hang', { kind: 'hang' }],
    ['drip', { kind: 'drip' }],
  ])('gives up on a %s at the deadline', async (_, behaviour) => {
    receiver.behave(behaviour);
    const result = await post(makeSender({ hurried: true }));
    expect(result).toMatchObject(failure('timeout'));
    const { durationMs } = result as Extract<SendResult, { kind: 'answered' }>;
    expect(durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(durationMs).toBeLessThan(TIMEOUT_MS + LATE_MS);
  });

  it('counts a 2xx status line although the body never comes', async () => {
    receiver.behave({ kind: 'hang_after_head', status: 200 });
    const result = await post(makeSender());
    expect(result).toMatchObject(status(200));
    expect((result as { durationMs: number }).durationMs).toBeLessThan(REST_MS + LATE_MS);
  });

  it('cuts a body of 10 MB and still counts the status', async () => {
    receiver.behave({ kind: 'flood', bytes: 10_000_000 });
    const sender = makeSender();
    const before = receiver.connections();
    expect(await post(sender)).toMatchObject(status(200));
    receiver.behave({ kind: 'answer', status: 204 });
    expect(await post(sender)).toMatchObject(status(204));
    expect(receiver.connections()).toBe(before + 2);
  });

  it.each<[FailureCategory, Behaviour]>([
    ['reset', { kind: 'reset' }],
    ['reset', { kind: 'reset_mid_head' }],
    ['http_other', { kind: 'garbage' }],
  ])('calls it %s: %j', async (category, behaviour) => {
    receiver.behave(behaviour);
    expect(await post(makeSender())).toMatchObject(failure(category));
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('the second try on a closed keep-alive connection (design §6.5)', () => {
  it('is made where the connection was used before and no byte came back', async () => {
    const sender = makeSender();
    receiver.behave({ kind: 'reset_reused' });
    expect(await post(sender)).toMatchObject(status(204));
    expect(await post(sender)).toMatchObject(status(204));
    // The second request arrived on the old connection, then again on a new one.
    expect(receiver.requests).toHaveLength(3);
    const [, second, repeated] = receiver.requests;
    expect([repeated?.headers, repeated?.body]).toEqual([second?.headers, second?.body]);
  });

  it.each(['docs/questions.md', 'docs/forwarding.md', 'docs/receiver.md'])(
    '%s says that the receiver may have read the request already, and gets it twice',
    (document) => {
      const paragraphs = readFileSync(document, 'utf8').split(/\n(?:\n|- )/);
      const about = paragraphs.map((text) => text.replaceAll(/\s+/g, ' ')).find((text) => /twice/.test(text));
      expect(about).toMatch(/read(s)? (a|the) request and (then )?close[sd] a kept connection/);
    },
  );

  it('goes to a new connection, although other old ones are idle', async () => {
    const sender = makeSender();
    receiver.behave({ kind: 'reset_reused' });
    await Promise.all(Array.from({ length: 4 }, () => post(sender)));
    expect(await post(sender)).toMatchObject(status(204));
    expect(receiver.requests).toHaveLength(6);
  });

  it('goes to a new connection, although another one was freed meanwhile', async () => {
    const sender = makeSender();
    await Promise.all([post(sender), post(sender)]);
    receiver.behave({ kind: 'slow', status: 204, afterMs: 100 });
    const first = post(sender);
    await until('the first is there', () => receiver.requests.length === 3);
    receiver.behave({ kind: 'reset_reused_late', afterMs: 400 });
    const second = post(sender);
    await until('the second is there', () => receiver.requests.length === 4);
    receiver.behave({ kind: 'reset_reused' });
    expect(await first).toMatchObject(status(204));
    expect(await second).toMatchObject(status(204));
    expect(receiver.requests).toHaveLength(5);
  });

  it('is made once only', async () => {
    const sender = makeSender();
    await post(sender);
    receiver.behave({ kind: 'reset' });
    expect(await post(sender)).toMatchObject(failure('reset'));
    expect(receiver.requests).toHaveLength(3);
  });

  it('shares the deadline of the first', async () => {
    const sender = makeSender({ hurried: true });
    await post(sender);
    receiver.behave({ kind: 'reset_reused_late', afterMs: TIMEOUT_MS - 100 });
    const elapsedMs = startClock();
    expect(await post(sender)).toMatchObject(failure('timeout'));
    expect(elapsedMs()).toBeLessThan(TIMEOUT_MS + LATE_MS);
    expect(receiver.requests.length).toBeGreaterThanOrEqual(2);
  });

  it('is not made where the answer had begun', async () => {
    const sender = makeSender();
    await post(sender);
    receiver.behave({ kind: 'reset_mid_head' });
    expect(await post(sender)).toMatchObject(failure('reset'));
    expect(receiver.requests).toHaveLength(2);
  });
});

describe('the way to the receiver', () => {
  it('is connect where nobody listens', async () => {
    // A port that the system never assigns.
    expect(await post(makeSender({ targets: ['127.0.0.1:1'] }), 'https://127.0.0.1:1/')).toMatchObject(
      failure('connect'),
    );
  });

  it.each([
    ['of an unknown authority', async () => startReceiver(await createCertificateAuthority())],
    ['for another host', async () => startReceiver(testAuthority.authority, { hosts: ['b.example.com'] })],
    ['that has expired', async () => startReceiver(testAuthority.authority, { expired: true })],
  ])('is tls with a certificate %s, and sends nothing', async (_, start) => {
    const bad = await start();
    opened.push(bad);
    expect(await post(makeSender({ targets: [`127.0.0.1:${bad.port}`] }), bad.url)).toMatchObject(
      failure('tls'),
    );
    expect(bad.requests).toEqual([]);
  });

  it('is tls with a bad certificate, whatever the environment says', async () => {
    const bad = await startReceiver(await createCertificateAuthority());
    opened.push(bad);
    // Another process: the environment of this one is a copy, which Node's TLS does not look at.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', SEND_ONCE, `127.0.0.1:${bad.port}`],
      { env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
    );
    expect(JSON.parse(stdout)).toMatchObject(failure('tls'));
    expect(bad.requests).toEqual([]);
  });

  it('is good by a default authority, and by a further one beside them', async () => {
    const byDefault = await makeTestAuthority();
    opened.push({ close: async () => byDefault.remove() });
    const other = await startReceiver(byDefault.authority);
    opened.push(other);
    const targets = [other, receiver].map(({ port }) => `127.0.0.1:${port}`);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', SEND_TO_BOTH, ...targets, testAuthority.caFile],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: byDefault.caFile } },
    );
    expect(JSON.parse(stdout)).toMatchObject([status(204), status(204)]);
  });

  it('ends with the connect time where the handshake is never answered', async () => {
    const silent = createServer();
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    opened.push({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((closed) => silent.close(closed));
      },
    });
    const { port } = silent.address() as AddressInfo;
    const sender = makeSender({ targets: [`127.0.0.1:${port}`], hurried: true });
    expect(await post(sender, `https://127.0.0.1:${port}/`)).toMatchObject({
      answer: { category: 'timeout', reason: 'The TLS handshake took too long.' },
    });
  });

  it('trusts the further authority through the setting alone', async () => {
    expect(await post(makeSender({ trusted: false }))).toMatchObject(failure('tls'));
  });

  it('is aborted by the signal, not failed', async () => {
    receiver.behave({ kind: 'hang' });
    const sender = makeSender();
    const controller = new AbortController();
    const sending = post(sender, receiver.url, controller.signal);
    while (receiver.requests.length === 0) await new Promise(setImmediate);
    controller.abort();
    expect(await sending).toEqual({ kind: 'aborted' });
    expect(await post(sender, receiver.url, AbortSignal.abort())).toEqual({ kind: 'aborted' });
    expect(receiver.requests).toHaveLength(1);
  });

  it.each<[string, Behaviour]>([
    ['its receiver hangs', { kind: 'hang' }],
    ['its receiver answers on and on', { kind: 'drip' }],
  ])('is aborted, not failed, by the end of the process while %s', async (_, behaviour) => {
    const sender = makeSender();
    await post(sender);
    receiver.behave(behaviour);
    const sending = post(sender);
    while (receiver.requests.length < 2) await new Promise(setImmediate);
    const connecting = post(sender);
    sender.onApplicationShutdown();
    expect(await Promise.all([sending, connecting])).toEqual([{ kind: 'aborted' }, { kind: 'aborted' }]);
    expect(await post(sender)).toEqual({ kind: 'aborted' });
    expect(receiver.requests).toHaveLength(2);
  });

  it('is free for others while one receiver on the same origin hangs', async () => {
    receiver.behave({ kind: 'hang' });
    const sender = makeSender();
    const hanging = Array.from({ length: 20 }, () => post(sender));
    while (receiver.requests.length < 20) await new Promise(setImmediate);
    receiver.behave({ kind: 'answer', status: 204 });
    expect(await post(sender)).toMatchObject(status(204));
    for (const result of await Promise.all(hanging)) expect(result).toMatchObject(failure('timeout'));
  });
});

describe('addresses at dispatch (design §6.5)', () => {
  const urlOf = (host: string) => `https://${host}:${receiver.port}/hook`;

  it('refuses a literal private address, and connects nowhere', async () => {
    const before = receiver.connections();
    expect(await post(makeSender({ targets: [] }))).toMatchObject(failure('blocked_address'));
    expect(receiver.connections()).toBe(before);
  });

  it.each([
    ['loopback', ['127.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['NAT64 of loopback', ['64:ff9b::7f00:1']],
    ['one private address among public ones', ['8.8.8.8', '127.0.0.1']],
    ['a private IPv6 address beside a public IPv4 one', ['8.8.8.8', 'fd00::1']],
  ])('refuses a name that resolves to %s', async (_, addresses) => {
    const dns = await dnsWith({ 'rebind.example.com': addresses });
    const before = receiver.connections();
    const result = await post(makeSender({ targets: [], dns }), urlOf('rebind.example.com'));
    expect(result).toMatchObject(failure('blocked_address'));
    expect(JSON.stringify(result)).not.toMatch(/127\.0|::1|fd00/);
    expect(receiver.connections()).toBe(before);
  });

  it('connects to the judged address of a name that is allowed by its range', async () => {
    const named = await startReceiver(testAuthority.authority, { hosts: ['hook.example.com'] });
    opened.push(named);
    const dns = await dnsWith({ 'hook.example.com': ['127.0.0.1'] });
    const sender = makeSender({ targets: ['127.0.0.0/8'], dns });
    expect(await post(sender, `https://hook.example.com:${named.port}/`)).toMatchObject(status(204));
    expect(named.requests[0]?.headers.host).toBe(`hook.example.com:${named.port}`);
  });

  it('reaches localhost where its host and port are allowed, and no other port of it', async () => {
    const sender = makeSender({ targets: [`localhost:${receiver.port}`] });
    expect(await post(sender, urlOf('localhost'))).toMatchObject(status(204));
    expect(await post(sender, `https://localhost:${receiver.port + 1}/`)).toMatchObject(
      failure('blocked_address'),
    );
  });

  it('is dns where the name does not exist', async () => {
    const dns = await dnsWith({});
    expect(await post(makeSender({ dns }), urlOf('nowhere.example.com'))).toMatchObject(failure('dns'));
  });

  it('does not let a name server that hangs hold the attempt beyond the connect time', async () => {
    const dns = await dnsWith({ 'slow.example.com': null });
    const result = await post(makeSender({ dns, hurried: true }), urlOf('slow.example.com'));
    expect(['dns', 'timeout']).toContain((result as { answer: { category: string } }).answer.category);
    expect((result as { durationMs: number }).durationMs).toBeLessThan(CONNECT_TIMEOUT_MS + LATE_MS);
  });
});
