// Runs in a network namespace in which every address is this machine. Opens the scanner's browser
// in a second one, whose only way out is a relay to the guarded proxy, lets a page try to reach
// each given address, and writes the reached ones as JSON.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, get } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findChromium, openChromium, readVersion } from '../../../src/scanner/browser/chromium.js';
import { GuardedProxy } from '../../../src/scanner/browser/guarded-proxy.js';
import { refusePopups, ScanContext } from '../../../src/scanner/browser/scan-tab.js';
import { parseExceptions } from '../../../src/platform/network/address-policy.js';
import { NameResolver } from '../../../src/platform/network/name-resolver.js';
import { browserUser } from '../../../src/standalone/server-user.js';
import { startDnsServer } from '../../support/fakes/dns-server.js';
import { until } from '../../support/until.js';
import {
  attemptsPage,
  DATAGRAM_TECHNIQUES,
  REFUSED_TECHNIQUES,
  TECHNIQUES,
  WORKER_SCRIPTS,
} from './attempts.js';
import { openPageWithoutIsolation } from './control.js';
import { EVERY_ADDRESS } from './namespace.js';

/** Targets of one page, and how long it stays open. */
const BATCH = 24;
const PAGE_MS = 4_000;
/** Its techniques take seconds; the browser gets little of a busy processor. */
const BATCH_MAX_MS = 600_000;
/** How long a request to a host that may be reached can be on its way after that. */
const ARRIVAL_MAX_MS = 60_000;

export interface ProbeInput {
  hosts: string[];
  /** The name server's records. */
  names: Record<string, string[]>;
}

interface Packets {
  connections: number;
  datagrams: number;
  relayed: number;
}

export interface ProbeResult {
  /** Hosts that the machine itself reaches. */
  reachable: string[];
  /** Techniques that reached the host which the page may reach. */
  allowed: string[];
  /** Techniques that reach their target in a browser without the proxy and the scanner's options. */
  unisolated: string[];
  /** Targets that the proxy refused. */
  refused: string[];
  /** What reached a target. */
  reached: string[];
  /** Sent beside the proxy: while the pages were open, and after one datagram and one connection of each family. */
  beside: Packets;
  besideAfterLeak: Packets;
}

const { hosts, names } = JSON.parse(process.env['PROBE_INPUT'] ?? '') as ProbeInput;
const folder = mkdtempSync(join(tmpdir(), 'isolation-'));
chmodSync(folder, 0o755);
const reached: string[] = [];
const allowed = new Set<string>();
const unisolated = new Set<string>();
let arriving = unisolated;

const listeners = await Promise.all([80, 443].map(listenEverywhere));
const site = createHttpServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://site');
  const [, technique] = /^\/reach\/(.+)$/.exec(url.pathname) ?? [];
  if (technique) arriving.add(technique);
  if (url.pathname === '/redirect')
    return void response.writeHead(302, { location: bytesOf(url.searchParams.get('to') ?? '') }).end();
  const script = WORKER_SCRIPTS[url.pathname];
  response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
  const targets = JSON.parse(url.searchParams.get('targets') ?? '[]') as string[];
  return void response.end(script ?? (targets.length > 0 ? attemptsPage(targets, { waitMs: PAGE_MS }) : ''));
});
site.on('upgrade', (request, socket) => {
  arriving.add(String(request.url).slice('/reach/'.length));
  socket.destroy();
});
await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
const { port: sitePort } = site.address() as AddressInfo;
const siteHost = `127.0.0.1:${sitePort}`;

const reachable: string[] = [];
for (const host of hosts) if (await isReachable(host)) reachable.push(host);

const executable = findChromium(process.env['SCANNER_CHROMIUM'] ?? '');
if (!executable) throw new Error('There is no Chromium.');
useOwnNameServer();
const datagrams = await openPageWithoutIsolation({
  executable,
  folder,
  sitePort,
  url: attemptsUrl([siteHost, 'control.example:80']),
  arrival: (datagrams) => {
    const all = [...TECHNIQUES, ...REFUSED_TECHNIQUES, ...DATAGRAM_TECHNIQUES];
    // A browser that is driven from outside does not render pages ahead.
    const expected = all.filter((each) => each !== 'prerender');
    return waitForArrival(expected, (each) => unisolated.has(each) || datagrams.has(each));
  },
});
for (const technique of datagrams) unisolated.add(technique);
arriving = allowed;
reached.length = 0;

const dns = await startDnsServer(names);
const proxy = new GuardedProxy({
  resolver: new NameResolver({ timeoutMs: 1_000, servers: [dns.address] }),
  exceptions: parseExceptions([siteHost]),
  excludedHosts: [],
  connectTimeoutMs: 1_000,
  pageBytesMax: 50_000_000,
  // A request that waits would look like a refused one.
  requestLimit: { burst: 100_000, perSecond: 1_000 },
});
const proxyPort = await proxy.listen();
const relay = await openRelay();

const user = browserUser();
if (!user) throw new Error('There is no unused user id.');
const chromium = await openChromium(
  {
    path: inNamespace(executable, user),
    version: await readVersion(executable),
    contact: '',
    sandbox: true,
    user: null,
    memoryBytesMax: 4e9,
    diskBytesMax: 1e9,
  },
  proxyPort,
);
const refused = new Set<string>();
try {
  const context = await ScanContext.prepare(chromium.context);
  refusePopups(context, { downloads: 0, popups: 0, dialogs: 0 });
  const targets = hosts.flatMap((host) => [`${host}:80`, `${host}:443`]);
  const batches: string[][] = [[siteHost]];
  for (let at = 0; at < targets.length; at += BATCH) batches.push(targets.slice(at, at + BATCH));
  for (const batch of batches) {
    const page = chromium.context.pages().at(0);
    if (!page) throw new Error('The browser has no page.');
    proxy.openPage();
    await page.goto(attemptsUrl(batch), { waitUntil: 'commit', timeout: BATCH_MAX_MS });
    await page.waitForFunction(`document.title === 'done'`, undefined, { timeout: BATCH_MAX_MS });
    if (batch.includes(siteHost)) await waitForArrival(TECHNIQUES, (each) => allowed.has(each));
    for (const target of batch) {
      const scheme = target.endsWith(':443') ? 'https' : 'http';
      if (proxy.refusalOf(`${scheme}://${target}/`) === 'blocked_address') refused.add(target);
    }
    proxy.closePage();
  }
  const beside = await relay.ask('count');
  const besideAfterLeak = await relay.ask('leak');
  const result: ProbeResult = {
    reachable,
    unisolated: [...unisolated].toSorted(),
    allowed: [...allowed].toSorted(),
    refused: [...refused],
    reached,
    beside,
    besideAfterLeak,
  };
  process.stdout.write(JSON.stringify(result));
} finally {
  await chromium.close();
  await proxy.close();
  await dns.close();
  rmSync(folder, { recursive: true, force: true });
  for (const server of [site, ...listeners]) server.close();
}
process.exit(0);

/** What does not arrive in time is missing in the result. */
async function waitForArrival(
  techniques: readonly string[],
  hasArrived: (technique: string) => boolean,
): Promise<void> {
  await until('every technique arrives', () => techniques.every(hasArrived), ARRIVAL_MAX_MS).catch(() => {});
}

function attemptsUrl(targets: readonly string[]): string {
  return `http://${siteHost}/?targets=${encodeURIComponent(JSON.stringify(targets))}`;
}

/** Names of this namespace are also resolved at an address of this machine. */
function useOwnNameServer(): void {
  writeFileSync(join(folder, 'resolv.conf'), 'nameserver 198.18.0.53\n');
  execFileSync('mount', ['--bind', join(folder, 'resolv.conf'), '/etc/resolv.conf']);
}

/** UTF-8 in a header, as servers send it. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Accepts connections to every address. */
async function listenEverywhere(port: number): Promise<Server> {
  const server = createServer((socket) => {
    reached.push(`${socket.localAddress} ${port}`);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  await new Promise<void>((ready) => server.listen(port, '::', ready));
  return server;
}

function isReachable(host: string): Promise<boolean> {
  return new Promise((done) => {
    const request = get(`http://${host}/`, { timeout: 1_000, agent: false }, (response) => {
      response.resume();
      done(true);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => done(false));
  });
}

/** Hands connections from the other namespace to the proxy. */
async function openRelay(): Promise<{ ask(command: string): Promise<Packets> }> {
  let control: Socket | null = null;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => {
      const [kind = ''] = data.toString('latin1').split('\n', 1);
      if (kind === 'control') return void (control = socket.setEncoding('utf8'));
      const upstream = connect(proxyPort, '127.0.0.1');
      upstream.on('error', () => socket.destroy());
      upstream.on('close', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      upstream.write(data.subarray(kind.length + 1));
      socket.pipe(upstream).pipe(socket);
    });
  });
  await new Promise<void>((ready) => server.listen(join(folder, 'relay.sock'), ready));
  return {
    ask: async (command) => {
      const socket = await until('the relay is connected', () => control);
      const answer = new Promise<string>((done) => socket.once('data', (text) => done(String(text))));
      socket.write(command);
      return JSON.parse(await answer) as Packets;
    },
  };
}

/** A script that starts the browser in a namespace where every packet stays and is counted. */
function inNamespace(browser: string, { uid, gid }: { uid: number; gid: number }): string {
  const script = join(folder, 'chromium');
  const inner = join(folder, 'inner');
  const ready = join(folder, 'ready');
  const relayScript = resolve('test/support/fakes/namespace-relay.mjs');
  const quoted = [process.execPath, relayScript, String(proxyPort), join(folder, 'relay.sock'), ready];
  writeFileSync(script, `#!/bin/sh\nexec unshare --net --mount '${inner}' "$@"\n`);
  writeFileSync(
    inner,
    `#!/bin/sh
${EVERY_ADDRESS}
mount --bind '${join(folder, 'resolv.conf')}' /etc/resolv.conf
chown -R ${uid}:${gid} "$HOME"
${quoted.map((each) => `'${each}'`).join(' ')} 3>&- 4>&- >/dev/null 2>&1 &
while [ ! -e '${ready}' ]; do sleep 0.05; done
exec setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs '${browser}' "$@"
`,
  );
  for (const file of [script, inner]) chmodSync(file, 0o755);
  if (existsSync(ready)) rmSync(ready);
  return script;
}
