import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsentForwarder } from '../../src/modules/forwarding/application/consent-forwarder.js';
import { NameResolver } from '../../src/platform/network/name-resolver.js';
import { Sender } from '../../src/platform/delivery/sender.js';
import { messageAbout, storeConsent } from '../support/people/consent.js';
import { type DnsServer, startDnsServer } from '../support/fakes/dns-server.js';
import { createEndpoint } from '../support/people/event-endpoint.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { makeTestAuthority, startReceiver } from '../support/fakes/receiver.js';
import { startTestService, testSettings, type TestService } from '../support/programs/service.js';

/**
 * A listener on loopback that no delivery may reach; `PORT` in the tables is replaced by its port.
 */
let trap: Server;
let trapConnections = 0;
let port: string;
let dns: DnsServer;
let service: TestService;

const NAMES = {
  'private.example.com': ['127.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'several.example.com': ['8.8.8.8', '8.8.4.4', '10.0.0.1'],
  'first.example.com': ['127.0.0.1', '8.8.8.8'],
  'v6.example.com': ['::1'],
  'mixed.example.com': ['8.8.8.8', '::1'],
  'unique-local.example.com': ['8.8.8.8', 'fd00::1'],
  'link-local.example.com': ['fe80::1'],
  'mapped.example.com': ['::ffff:7f00:1'],
  'nat64.example.com': ['64:ff9b::7f00:1'],
  '6to4.example.com': ['2002:7f00:1::'],
  'teredo.example.com': ['2001:0:7f00:1::'],
  'unspecified.example.com': ['0.0.0.0'],
  'alias.example.com': { alias: 'private.example.com' },
  'alias-v6.example.com': { alias: 'v6.example.com' },
  'xn--bcher-kva.example': ['127.0.0.1'],
};

beforeAll(async () => {
  trap = createServer((socket) => {
    trapConnections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  port = String((trap.address() as AddressInfo).port);
  dns = await startDnsServer(NAMES);
  service = await startTestService({
    FORWARDING_CONNECT_TIMEOUT_MS: '2000',
    FORWARDING_TIMEOUT_MS: '3000',
  });
  service.app.get(NameResolver, { strict: false }).useServers([dns.address]);
});

afterAll(async () => {
  await service.close();
  await dns.close();
  await new Promise((closed) => trap.close(closed));
});

/** Ways to write an address that is not public, or to hide it: refused already at save. */
const NOTATIONS: [string, string][] = [
  ['decimal parts', 'https://127.0.0.1:PORT/'],
  ['another address of loopback', 'https://127.255.255.254:PORT/'],
  ['one decimal number', 'https://2130706433:PORT/'],
  ['octal parts', 'https://0177.0.0.01:PORT/'],
  ['one octal number', 'https://017700000001:PORT/'],
  ['hexadecimal parts', 'https://0x7f.0x0.0x0.0x1:PORT/'],
  ['one hexadecimal number', 'https://0x7f000001:PORT/'],
  ['mixed bases', 'https://0x7f.0.1:PORT/'],
  ['two parts', 'https://127.1:PORT/'],
  ['three parts', 'https://127.0.1:PORT/'],
  ['zero', 'https://0:PORT/'],
  ['full-width digits', 'https://１２７.０.０.１:PORT/'],
  ['circled digits', 'https://①②⑦.⓪.⓪.①:PORT/'],
  ['ideographic full stops', 'https://127。0。0。1:PORT/'],
  ['percent-encoded digits', 'https://%31%32%37.0.0.1:PORT/'],
  ['a percent-encoded dot', 'https://127%2E0.0.1:PORT/'],
  ['an address with a trailing dot', 'https://127.0.0.1.:PORT/'],
  ['IPv6 loopback', 'https://[::1]:PORT/'],
  ['IPv6 loopback in full', 'https://[0:0:0:0:0:0:0:1]:PORT/'],
  ['v4-mapped', 'https://[::ffff:127.0.0.1]:PORT/'],
  ['v4-mapped in hexadecimal', 'https://[::ffff:7f00:1]:PORT/'],
  ['v4-compatible', 'https://[::127.0.0.1]:PORT/'],
  ['v4-translated', 'https://[::ffff:0:127.0.0.1]:PORT/'],
  ['NAT64', 'https://[64:ff9b::127.0.0.1]:PORT/'],
  ['local NAT64', 'https://[64:ff9b:1::7f00:1]:PORT/'],
  ['6to4', 'https://[2002:7f00:1::]:PORT/'],
  ['Teredo', 'https://[2001:0:7f00:1::]:PORT/'],
  ['unique local', 'https://[fd00::1]:PORT/'],
  ['link local with a zone', 'https://[fe80::1%25lo]:PORT/'],
  ['link local', 'https://[fe80::1]:PORT/'],
  ['unspecified IPv6', 'https://[::]:PORT/'],
  ['cloud metadata', 'https://169.254.169.254/latest/meta-data/'],
  ['cloud metadata of IPv6', 'https://[fd00:ec2::254]/'],
  ['shared address space', 'https://100.64.0.1/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['localhost', 'https://localhost:PORT/'],
  ['localhost in capitals', 'https://LocalHost:PORT/'],
  ['localhost with a trailing dot', 'https://localhost.:PORT/'],
  ['below localhost', 'https://a.localhost:PORT/'],
  ['localhost in full-width letters', 'https://ｌｏｃａｌｈｏｓｔ:PORT/'],
  ['a name with a trailing dot', 'https://private.example.com.:PORT/'],
  ['a name without a dot', 'https://postgres:PORT/'],
  ['.internal', 'https://metadata.google.internal/'],
  ['.local', 'https://printer.local:PORT/'],
  ['user info', 'https://consents.example.com@127.0.0.1:PORT/'],
  ['user info with a password', 'https://consents.example.com:443@127.0.0.1:PORT/'],
  ['a backslash before the host', 'https://127.0.0.1:PORT\\@consents.example.com/'],
  ['a fragment before the host', 'https://127.0.0.1:PORT#@consents.example.com/'],
  ['no https', 'http://127.0.0.1:PORT/'],
  ['another scheme', 'gopher://127.0.0.1:PORT/'],
];

/** Names that are saved, since only the address says where they lead, and that nothing may be sent to. */
const RESOLVED: [string, string][] = [
  ['a private address', 'private.example.com'],
  ['cloud metadata', 'metadata.example.com'],
  ['a private address behind two public ones', 'several.example.com'],
  ['a private address before a public one', 'first.example.com'],
  ['IPv6 loopback alone', 'v6.example.com'],
  ['IPv6 loopback beside a public address', 'mixed.example.com'],
  ['a unique local address beside a public one', 'unique-local.example.com'],
  ['a link-local address', 'link-local.example.com'],
  ['a v4-mapped address', 'mapped.example.com'],
  ['NAT64', 'nat64.example.com'],
  ['6to4', '6to4.example.com'],
  ['Teredo', 'teredo.example.com'],
  ['the unspecified address', 'unspecified.example.com'],
  ['an alias of a private name', 'alias.example.com'],
  ['an alias of a private IPv6 name', 'alias-v6.example.com'],
  ['a private address, by an international name', 'bücher.example'],
];

const REFUSED = /^(blocked_address|configuration)$/;
const business = (): Promise<TestProject> => createTestProject(service, { tier: 'business' });

const save = async (url: string): Promise<Response> =>
  (await business()).request('editor', 'PUT', '/forwarding', {
    enabled: true,
    endpointUrl: url,
    authMode: 'none',
  });

/** A project with an endpoint that no save would have taken: by an older version, or by hand. */
async function projectWith(url: string): Promise<TestProject> {
  const project = await business();
  await service.database.query(
    `insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode) values ($1, true, $2, 'none')`,
    [project.id, url],
  );
  return project;
}

/** The category of the failure at Test, at dispatch and for a record's own `custom_endpoint`. */
async function categoriesOf(url: string): Promise<{ test: unknown; dispatch: unknown; legacy: unknown }> {
  const stored = await projectWith(url);
  const tested = await stored.request('editor', 'POST', '/forwarding/test');
  const { delivered, category } = (await tested.json()) as { delivered: boolean; category: string };
  expect(delivered).toBe(false);
  const legacy = await business();
  return {
    test: category,
    dispatch: await dispatch(stored, await storeConsent(service, stored.id)),
    legacy: await dispatch(legacy, await storeConsent(service, legacy.id, { customEndpoint: url })),
  };
}

/** The answer to an event endpoint with this URL. */
async function saveForEvents(url: string): Promise<Response> {
  return (await createTestProject(service)).request('editor', 'POST', '/event-endpoints', {
    url,
    eventTypes: ['tier.changed'],
  });
}

/** How the test of an event endpoint ends whose stored URL is this one. */
async function eventCategoryOf(url: string): Promise<string | null> {
  const project = await createTestProject(service);
  const { id } = await createEndpoint(project, { url: 'https://hooks.example.com/' });
  await service.database.query('update event_endpoint set url = $2 where id = $1', [id, url]);
  const tested = await project.request('editor', 'POST', `/event-endpoints/${id}/test`);
  return ((await tested.json()) as { category: string | null }).category;
}

async function dispatch(project: TestProject, consentId: string): Promise<string | null> {
  const forwarder = service.app.get(ConsentForwarder, { strict: false });
  const [attempt] = await forwarder.prepare([messageAbout(project.id, consentId)]);
  const ending = await attempt?.(new AbortController().signal);
  if (ending?.kind !== 'settled' || ending.outcome.outcome !== 'failed') return JSON.stringify(ending);
  return ending.outcome.category;
}

it('the listener is there, for whoever is allowed to reach it', async () => {
  const { delivery } = testSettings('postgres://unused', {
    FORWARDING_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
  });
  const sender = new Sender(delivery);
  const before = trapConnections;
  const url = new URL(`https://0x7f.1:${port}/`);
  expect(await sender.send({ url, headers: [], body: '{}' })).toMatchObject({ answer: { kind: 'error' } });
  expect(trapConnections).toBeGreaterThan(before);
  sender.onApplicationShutdown();
});

describe('a private place, however it is written (design §6.5)', () => {
  it.each(NOTATIONS)('%s: refused at save, at Test, at dispatch, and as custom_endpoint', async (_, text) => {
    const url = text.replace('PORT', port);
    const before = trapConnections;
    const saved = await save(url);
    expect([saved.status, await saved.json()]).toMatchObject([
      422,
      { code: 'validation_failed', errors: [{ field: 'endpointUrl' }] },
    ]);
    const refused = expect.stringMatching(REFUSED);
    expect(await categoriesOf(url)).toEqual({ test: refused, dispatch: refused, legacy: refused });
    const forEvents = await saveForEvents(url);
    expect([forEvents.status, await forEvents.json()]).toMatchObject([422, { errors: [{ field: 'url' }] }]);
    expect(await eventCategoryOf(url)).toMatch(REFUSED);
    expect(trapConnections).toBe(before);
  });
});

describe('a public name that leads to a private place (design §6.5)', () => {
  it.each(RESOLVED)('%s: nothing is sent at Test, at dispatch, and as custom_endpoint', async (_, name) => {
    const url = `https://${name}:${port}/`;
    const before = trapConnections;
    expect((await save(url)).status).toBe(200);
    expect(await categoriesOf(url)).toEqual({
      test: 'blocked_address',
      dispatch: 'blocked_address',
      legacy: 'blocked_address',
    });
    expect((await saveForEvents(url)).status).toBe(201);
    expect(await eventCategoryOf(url)).toBe('blocked_address');
    expect(trapConnections).toBe(before);
  });
});

describe('a name that changes its mind (DNS rebinding)', () => {
  it('is asked once for a connection, and connected to where it was judged to lead', async () => {
    const authority = await makeTestAuthority();
    const name = 'rebinding.example.com';
    const receiver = await startReceiver(authority.authority, { hosts: [name] });
    // Allowed at the first question, private at each further one.
    const server = await startDnsServer({ [name]: { inTurn: [['127.0.0.1'], ['127.0.0.2']] } });
    const { delivery } = testSettings('postgres://unused', {
      FORWARDING_ALLOWED_PRIVATE_TARGETS: '127.0.0.1',
      FORWARDING_EXTRA_CA_FILE: authority.caFile,
    });
    const resolver = new NameResolver({ timeoutMs: 5_000, servers: [server.address] });
    const request = () => ({ url: new URL(`https://${name}:${receiver.port}/`), headers: [], body: '{}' });
    const sender = new Sender(delivery, resolver);
    expect(await sender.send(request())).toMatchObject({ answer: { kind: 'status', httpStatus: 204 } });
    // One question for each family.
    expect(server.queries).toEqual([name, name]);
    sender.onApplicationShutdown();

    const later = new Sender(delivery, resolver);
    expect(await later.send(request())).toMatchObject({ answer: { category: 'blocked_address' } });
    expect(receiver.connections()).toBe(1);
    later.onApplicationShutdown();
    await Promise.all([receiver.close(), server.close()]);
    authority.remove();
  });
});
