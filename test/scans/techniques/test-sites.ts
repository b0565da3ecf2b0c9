import { createHash, X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createCertificateAuthority, issueCertificate } from '../../../src/standalone/certificates.js';
import { SCANNER_NAME } from '../../../src/modules/scans/domain/scanner.js';
import { type DnsRecord, startDnsServer } from '../../support/fakes/dns-server.js';
import { CONSENT_HOSTS } from './consent-sites.js';
import { COOKIES } from './cookies.js';
import { FINGERPRINTS } from './fingerprints.js';
import { FRAMES } from './frames.js';
import { LATE, LEFT, MOVED } from './late.js';
import { REQUESTS } from './requests.js';
import { STORAGES } from './storages.js';
import { crossSite, type FarmAddresses, MAIN, type Route, type TechniqueGroup, text } from './technique.js';
import { TRAP_HOSTS } from './traps.js';

export const GROUPS: TechniqueGroup[] = [
  COOKIES,
  STORAGES,
  REQUESTS,
  FRAMES,
  LATE,
  LEFT,
  MOVED,
  FINGERPRINTS,
];

const CHROMIUM = '/usr/bin/chromium';
/** So that a script crashes its tab before it uses up the memory of the scan. */
const SCRIPT_MEGABYTES = 300;

/** Hosts besides traps and consent sites. */
const HOSTS = [
  MAIN,
  'metrics.farm.example',
  'ads.example',
  'chips.example',
  'hop-one.example',
  'hop-two.example',
  'tags.example',
  'outer.example',
  'inner.example',
  'device.example',
];
const TRACKER = 'tracker.example';

export interface Farm extends FarmAddresses {
  /** Settings of a service that can scan it. */
  environment: Record<string, string>;
  /** `method host path` of all requests, */
  requests: string[];
  /** and of those without the scanner's user agent. */
  unnamed: string[];
  loaderTag: string;
  close(): Promise<void>;
}

/** Starts the sites on faked names, over HTTP and HTTPS. */
export async function startFarm(): Promise<Farm> {
  const hosts = [...HOSTS, ...Object.keys(CONSENT_HOSTS), ...Object.keys(TRAP_HOSTS)];
  const authority = await createCertificateAuthority('Farm authority');
  const { certificatePem, privateKeyPem } = await issueCertificate(authority, hosts);
  const requests: string[] = [];
  const unnamed: string[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const path = (request.url ?? '').split('?')[0] ?? '';
    const line = `${request.method} ${host} ${path}`;
    requests.push(line);
    const userAgent = String(request.headers['user-agent']);
    if (!userAgent.includes(SCANNER_NAME)) unnamed.push(`${line} ${userAgent}`);
    response.on('error', () => {});
    const route = routeOf(host, path);
    if (route) route(request, response, farm);
    else response.writeHead(404).end();
  };
  const secure = createHttpsServer({ cert: certificatePem, key: privateKeyPem }, handle);
  const plain = createHttpServer(handle);
  for (const server of [secure, plain]) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => acceptSocket(request, socket));
    server.on('clientError', (_error, socket) => socket.destroy());
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  }
  const records: Record<string, DnsRecord> = { [TRACKER]: ['127.0.0.1'] };
  for (const host of hosts) records[host] = ['127.0.0.1'];
  records['metrics.farm.example'] = { alias: TRACKER };
  const dns = await startDnsServer(records);
  const folder = mkdtempSync(join(tmpdir(), 'consent-farm-'));
  const portOf = (server: Pick<Server, 'address'>): number => (server.address() as AddressInfo).port;
  const farm: Farm = {
    https: (host, path = '/') => `https://${host}:${portOf(secure)}${path}`,
    http: (host, path = '/') => `http://${host}:${portOf(plain)}${path}`,
    host: (name) => `${name}:${portOf(secure)}`,
    loaderTag: '',
    requests,
    unnamed,
    environment: {
      SCANNER_CHROMIUM: trustingChromium(folder, certificatePem),
      SCANNER_NAME_SERVERS: dns.address,
      SCANNER_ALLOWED_PRIVATE_TARGETS: hosts
        .flatMap((host) => [secure, plain].map((server) => `${host}:${portOf(server)}`))
        .join(','),
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    },
    close: async () => {
      for (const server of [secure, plain]) {
        server.closeAllConnections();
        server.close();
      }
      await dns.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  writeFileSync(join(folder, 'authority.pem'), authority.certificatePem);
  return farm;
}

function routeOf(host: string, path: string): Route | undefined {
  const own = CONSENT_HOSTS[host] ?? TRAP_HOSTS[host];
  if (own) {
    const isFile = path === '/robots.txt' || path === '/sitemap.xml' || path === '/favicon.ico';
    return own[path] ?? (isFile ? undefined : own['*']);
  }
  const group = GROUPS.find((each) => host === MAIN && each.path === path);
  if (group) return groupPage(group);
  return GROUPS.map(({ routes }) => routes?.[path]).find((route) => route !== undefined);
}

function groupPage({ techniques }: TechniqueGroup): Route {
  return (_request, response, farm) => {
    const cookies = techniques.flatMap((technique) => technique.cookies ?? []);
    if (cookies.length > 0) response.setHeader('set-cookie', cookies);
    const body = techniques.map(({ html }) => html(farm)).join('\n');
    text(
      response,
      'text/html',
      `<!doctype html><html lang="en"><head>${farm.loaderTag}</head><body>${body}</body></html>`,
    );
  };
}

function acceptSocket({ headers, url }: IncomingMessage, socket: Duplex): void {
  const key = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  const cookie = url === '/socket-cookie' ? `set-cookie: ${crossSite('socket_cookie')}\r\n` : '';
  socket.on('error', () => {});
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${key}\r\n${cookie}\r\n`,
  );
}

/** A script that starts Chromium so that it accepts the farm's certificate. */
function trustingChromium(folder: string, certificatePem: string): string {
  const key = new X509Certificate(certificatePem).publicKey.export({ type: 'spki', format: 'der' });
  const hash = createHash('sha256').update(key).digest('base64');
  const script = join(folder, 'chromium');
  const options = `--ignore-certificate-errors-spki-list=${hash} --js-flags=--max-old-space-size=${SCRIPT_MEGABYTES}`;
  writeFileSync(script, `#!/bin/sh\nexec ${CHROMIUM} ${options} "$@"\n`);
  chmodSync(script, 0o755);
  chmodSync(folder, 0o755);
  return script;
}
