import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { createCertificateAuthority, issueCertificate } from '../../../src/standalone/certificates.js';
import { load } from 'js-yaml';
import { freePort } from './free-port.js';
import { until } from '../until.js';

/** Debian's pebble-challtestsrv: a name server whose records tests set. Every name without records is this machine. */
export class FakeDns {
  private constructor(
    readonly address: string,
    private readonly management: string,
    private readonly server: ChildProcess,
  ) {}

  static async start(): Promise<FakeDns> {
    const [dns, management] = [await freePort(), await freePort()];
    const server = spawn(
      'pebble-challtestsrv',
      [
        '-dns01',
        `127.0.0.1:${dns}`,
        '-management',
        `127.0.0.1:${management}`,
        '-defaultIPv6',
        '',
        '-http01',
        '',
        '-https01',
        '',
        '-tlsalpn01',
        '',
      ],
      { stdio: 'ignore' },
    );
    const started = new FakeDns(`127.0.0.1:${dns}`, `http://127.0.0.1:${management}`, server);
    await until('the name server answers', () =>
      started.clearCname('nothing.test').then(
        () => true,
        () => false,
      ),
    );
    return started;
  }

  setCname(host: string, target: string): Promise<void> {
    return this.post('/set-cname', { host: `${host}.`, target: `${target}.` });
  }

  clearCname(host: string): Promise<void> {
    return this.post('/clear-cname', { host: `${host}.` });
  }

  stop(): Promise<void> {
    return end(this.server);
  }

  private async post(path: string, body: object): Promise<void> {
    const response = await fetch(`${this.management}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
  }
}

/** Where the edge finds the service. */
interface EdgeOptions {
  folder: string;
  dns: FakeDns;
  apiPort: number;
  askPort: number;
  /** How long certificates are valid. */
  validSeconds?: number;
}

/** Debian's Caddy with deploy/caddy/Caddyfile, and Debian's pebble as its certificate authority. */
export class Edge {
  private constructor(
    readonly httpsPort: number,
    /** Of the authority that issues. */
    private readonly rootPem: string,
    private readonly servers: ChildProcess[],
  ) {}

  static async start({ folder, dns, apiPort, askPort, validSeconds = 86_400 }: EdgeOptions): Promise<Edge> {
    const [httpPort, httpsPort, acmePort, managementPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ] as [number, number, number, number];
    const authority = await createCertificateAuthority();
    const issued = await issueCertificate(authority, ['localhost', '127.0.0.1']);
    const file = (name: string, text: string): string => {
      const path = join(folder, `${acmePort}-${name}`);
      writeFileSync(path, text);
      return path;
    };
    const trusted = file('authority.pem', authority.certificatePem);
    const pebble = spawn(
      'pebble',
      [
        '-dnsserver',
        dns.address,
        '-config',
        file(
          'pebble.json',
          JSON.stringify({
            pebble: {
              listenAddress: `127.0.0.1:${acmePort}`,
              managementListenAddress: `127.0.0.1:${managementPort}`,
              certificate: file('pebble.pem', issued.certificatePem),
              privateKey: file('pebble.key', issued.privateKeyPem),
              httpPort,
              tlsPort: httpsPort,
              certificateValidityPeriod: validSeconds,
            },
          }),
        ),
      ],
      { stdio: 'ignore', env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' } },
    );
    const rootPem = await until('pebble answers', () =>
      get({ port: managementPort, host: 'localhost', path: '/roots/0', ca: authority.certificatePem }).then(
        ({ text }) => text,
        () => null,
      ),
    );
    const caddyfile = readFileSync(resolve('deploy', 'caddy', 'Caddyfile'), 'utf8')
      // Only where the tests are: which authority, and which names it has not.
      .replace('\thttp_port', `\tadmin off\n\tacme_ca_root ${trusted}\n\thttp_port`);
    const caddy = spawn(
      'caddy',
      ['run', '--adapter', 'caddyfile', '--config', file('Caddyfile', caddyfile)],
      {
        stdio: 'ignore',
        env: {
          ...composeEnvironment(documentedSettings()),
          PATH: process.env['PATH'],
          HOME: folder,
          XDG_DATA_HOME: join(folder, `${acmePort}-data`),
          XDG_CONFIG_HOME: join(folder, `${acmePort}-config`),
          ACME_CA: `https://localhost:${acmePort}/dir`,
          HTTP_PORT: String(httpPort),
          HTTPS_PORT: String(httpsPort),
          API: `127.0.0.1:${apiPort}`,
          ASK: `127.0.0.1:${askPort}`,
        },
      },
    );
    const edge = new Edge(httpsPort, rootPem, [caddy, pebble]);
    await until('the service is behind the edge', () =>
      edge.get('consent.service.test', '/health/live').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    return edge;
  }

  /** A request with a certificate that the authority has issued for the host. @throws Error without one. */
  get(
    host: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    return get({ port: this.httpsPort, host, path, headers, ca: this.rootPem });
  }

  /** The certificate that is presented for a host; null: the handshake fails. */
  certificate(host: string): Promise<PeerCertificate | null> {
    return new Promise((done) => {
      const socket = connect(
        { port: this.httpsPort, host: '127.0.0.1', servername: host, ca: this.rootPem },
        () => {
          done(socket.getPeerCertificate());
          socket.destroy();
        },
      );
      socket.once('error', () => done(null));
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map(end));
  }
}

function get(given: {
  port: number;
  host: string;
  path: string;
  ca: string;
  headers?: Record<string, string>;
}): Promise<{ status: number; text: string }> {
  const { port, host, path, ca, headers = {} } = given;
  return new Promise((done, fail) => {
    request(
      { host: '127.0.0.1', port, path, ca, servername: host, headers: { host, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => done({ status: response.statusCode ?? 0, text }));
      },
    )
      .once('error', fail)
      .end();
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The settings for `.env` in docs/first-party.md, with the tests' hosts and this machine. */
export function documentedSettings(): Record<string, string> {
  const text = readFileSync(join('docs', 'first-party.md'), 'utf8');
  const [, block = ''] = /Add to `\.env`[^]*?```sh\n([^]*?)```/.exec(text) ?? [];
  const local = block
    .replaceAll('consent.example.com', 'consent.service.test')
    .replaceAll('edge.example.com', 'edge.service.test')
    .replaceAll(edgeService().networks.edge.ipv4_address, '127.0.0.1');
  return Object.fromEntries([...local.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

/** The environment of the edge, as compose fills it in. @throws Error where compose would refuse. */
function composeEnvironment(settings: Record<string, string>): Record<string, string> {
  const fill = (value: string): string =>
    value.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_all, name: string, kind: string, text: string) => {
      if (settings[name]) return settings[name];
      if (kind === '?') throw new Error(text);
      return text;
    });
  const { environment } = edgeService();
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
}

interface EdgeService {
  environment: Record<string, string>;
  networks: { edge: { ipv4_address: string } };
}

function edgeService(): EdgeService {
  const { services } = load(readFileSync('docker-compose.edge.yml', 'utf8')) as {
    services: { edge: EdgeService };
  };
  return services.edge;
}

/** The script tag that docs/first-party.md shows for a custom domain. */
export function documentedLine(given: { hostname: string; fallback: string; projectId: string }): string {
  const text = readFileSync(join('docs', 'first-party.md'), 'utf8');
  const [, line] = /```html\n(<script\n[^`]*?data-fallback[^`]*?)\n```/.exec(text) ?? [];
  if (line === undefined) throw new Error('docs/first-party.md shows no script tag with a fallback.');
  return line
    .replaceAll('<projectId>', given.projectId)
    .replace('https://consent.shop.example', `https://${given.hostname}`)
    .replace('https://consent.example.com', given.fallback);
}
