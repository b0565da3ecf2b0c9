import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createCertificateAuthority, issueCertificate } from '../../../src/standalone/certificates.js';
import { freePort } from '../programs/free-port.js';
import { until } from '../until.js';

const SYSTEM_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/** The service behind HTTPS on `localhost`, as an operator's proxy publishes it. */
export interface PublicService {
  port: number;
  /** File with the authority that issued its certificate. */
  authorityFile: string;
  /** Headers of the requests that arrived, the newest last. */
  seen: { url: string; headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

export async function publishService(baseUrl: string, folder: string): Promise<PublicService> {
  const authority = await createCertificateAuthority();
  const { certificatePem, privateKeyPem } = await issueCertificate(authority, ['localhost']);
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, authority.certificatePem);
  const { hostname, port } = new URL(baseUrl);
  const seen: PublicService['seen'] = [];
  const server = createServer({ cert: certificatePem, key: privateKeyPem }, (request, response) => {
    const { method, url = '', headers } = request;
    seen.push({ url, headers });
    const forwarded = [headers['x-forwarded-for'], request.socket.remoteAddress].filter(Boolean).join(', ');
    const onward = httpRequest(
      { hostname, port, method, path: url, headers: { ...headers, 'x-forwarded-for': forwarded } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    port: (server.address() as AddressInfo).port,
    authorityFile,
    seen,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export type Guide = 'nginx' | 'caddy' | 'haproxy' | 'apache' | 'express' | 'next' | 'vercel' | 'cloudflare';

export interface SiteProxyOptions {
  folder: string;
  /** Host name under which browsers reach the site. */
  host: string;
  /** Port of the site's pages. */
  pagesPort: number;
  service: PublicService;
  projectId: string;
  secret: string;
}

/** A customer's web server, set up by its guide in docs/first-party: only the values that an owner fills in differ. */
export class SiteProxy {
  private constructor(
    readonly port: number,
    private readonly server: ChildProcess,
  ) {}

  static async start(guide: Guide, options: SiteProxyOptions): Promise<SiteProxy> {
    const port = await freePort();
    const { command, environment } = SERVERS[guide]({ ...options, port });
    const [program = '', ...given] = command;
    const server = spawn(program, given, {
      cwd: options.folder,
      env: { PATH: `${process.env['PATH']}:/usr/sbin`, HOME: options.folder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (text) => (output += String(text)));
    const answers = async (): Promise<boolean> => {
      if (server.exitCode !== null) throw new Error(`${program} has ended: ${output}`);
      return fetch(`http://127.0.0.1:${port}/`, { headers: { host: options.host } }).then(
        ({ status }) => status < 500,
        () => false,
      );
    };
    await until(`${guide} answers`, answers);
    return new SiteProxy(port, server);
  }

  async stop(): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    const ended = once(this.server, 'exit');
    this.server.kill('SIGTERM');
    await ended;
  }
}

interface Server {
  command: string[];
  environment?: Record<string, string>;
}
type Options = SiteProxyOptions & { port: number };

const SERVERS: Record<Guide, (options: Options) => Server> = {
  nginx(options) {
    const { folder, port, pagesPort } = options;
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const file = writeConfiguration(
      options,
      'nginx.conf',
      (guide) => `
        daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}
        http {
          access_log off;
          ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
          server {
            listen 127.0.0.1:${port};
            location / { proxy_pass http://127.0.0.1:${pagesPort}; }
            ${guide}
          }
        }`,
    );
    return { command: ['nginx', '-c', file, '-e', 'stderr'] };
  },
  caddy(options) {
    const { host, port, service } = options;
    const file = writeConfiguration(
      options,
      'Caddyfile',
      // Without HTTPS and the administration port, which need ports of the whole machine.
      (guide) =>
        `{\n\tadmin off\n\tauto_https off\n}\n${guide.replace('www.shop.example {', `http://${host}:${port} {`)}`,
    );
    return {
      command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
      environment: { SSL_CERT_FILE: service.authorityFile },
    };
  },
  haproxy(options) {
    const file = writeConfiguration(
      options,
      'haproxy.cfg',
      (guide) =>
        `defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n${guide.replace(
          'bind :80',
          `bind 127.0.0.1:${options.port}`,
        )}`,
    );
    return { command: ['haproxy', '-db', '-f', file] };
  },
  apache(options) {
    const { folder, port, pagesPort } = options;
    const modules = ['mpm_event', 'authz_core', 'headers', 'proxy', 'proxy_http', 'socache_shmcb', 'ssl'];
    const file = writeConfiguration(
      options,
      'apache.conf',
      (guide) => `
ServerRoot ${folder}
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/error.log
ServerName localhost
Listen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
<VirtualHost *:${port}>
${guide}
ProxyPass "/" "http://127.0.0.1:${pagesPort}/"
</VirtualHost>
`,
    );
    return { command: ['apache2', '-d', folder, '-f', file, '-D', 'FOREGROUND'] };
  },
  express(options) {
    const { folder, port, pagesPort, service } = options;
    const guide = writeConfiguration(options, 'express.js', (text) => text, 'express.mjs');
    const program = join(folder, 'site.mjs');
    writeFileSync(
      program,
      `import express from ${JSON.stringify(resolve('node_modules/express/index.js'))};
       import { mountConsent } from ${JSON.stringify(guide)};
       const app = express();
       mountConsent(app);
       app.use(async (request, response) => {
         const page = await fetch('http://127.0.0.1:${pagesPort}' + request.url);
         response.status(page.status).type('html').send(await page.text());
       });
       app.listen(${port}, '127.0.0.1');`,
    );
    return {
      command: [process.execPath, program],
      environment: { NODE_EXTRA_CA_CERTS: service.authorityFile },
    };
  },
  next: (options) => functionServer(options, 'next.js'),
  vercel: (options) => functionServer(options, 'next.js', { VERCEL: '1' }),
  cloudflare: (options) => functionServer(options, 'cloudflare-worker.js'),
};

/** A guide that is a function of a platform, called as the platform calls it. */
function functionServer(options: Options, name: string, environment: Record<string, string> = {}): Server {
  const { folder, port, pagesPort, service, secret } = options;
  // Next.js is not installed: the guide uses only this of `next/server`.
  const nextServer = join(folder, 'next-server.mjs');
  writeFileSync(
    nextServer,
    'export const NextResponse = { rewrite: (target, { request }) => fetch(target, request) };',
  );
  const complete = (text: string): string => text.replace("'next/server'", JSON.stringify(nextServer));
  const guide = writeConfiguration(options, name, complete, `${name.split('.')[0]}.mjs`);
  const program = join(folder, 'platform.mjs');
  writeFileSync(
    program,
    `import { createServer } from 'node:http';
     import * as guide from ${JSON.stringify(guide)};
     createServer(async (request, response) => {
       const isConsent = request.url.startsWith('/consent/');
       const given = new Request(isConsent ? 'http://' + request.headers.host + request.url : 'http://127.0.0.1:${pagesPort}');
       for (const [name, value] of Object.entries(request.headers))
         if (!['host', 'connection'].includes(name)) given.headers.set(name, value);
       const platform = { country: 'DE', regionCode: 'BY' };
       given.headers.set('CF-Connecting-IP', '127.0.0.1');
       if (process.env.VERCEL) {
         given.headers.set('x-real-ip', '127.0.0.1');
         given.headers.set('x-vercel-ip-country', 'DE');
         given.headers.set('x-vercel-ip-country-region', 'BY');
       }
       Object.assign(given, { cf: platform, nextUrl: new URL(given.url) });
       const answer = !isConsent ? await fetch(given)
         : guide.proxy ? await guide.proxy(given)
         : await guide.default.fetch(given, { PROXY_SECRET: process.env.CONSENT_PROXY_SECRET });
       response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') });
       response.end(await answer.text());
     }).listen(${port}, '127.0.0.1');`,
  );
  return {
    command: [process.execPath, program],
    environment: {
      NODE_EXTRA_CA_CERTS: service.authorityFile,
      CONSENT_PROXY_SECRET: secret,
      ...environment,
    },
  };
}

/** The guide with the values of its owner, as part of a whole configuration. */
function writeConfiguration(
  { folder, pagesPort, service, projectId, secret }: Options,
  name: string,
  complete: (guide: string) => string,
  writtenAs = name,
): string {
  const guide = readFileSync(join('docs/first-party', name), 'utf8')
    .replaceAll('<projectId>', projectId)
    .replaceAll('<secret>', secret)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${pagesPort}`)
    .replaceAll(SYSTEM_AUTHORITIES, service.authorityFile)
    .replaceAll('str(consent.example.com)', 'str(localhost)')
    .replaceAll('consent.example.com:443', `localhost:${service.port}`)
    .replaceAll('consent.example.com', `localhost:${service.port}`);
  const file = join(folder, writtenAs);
  writeFileSync(file, complete(guide));
  return file;
}
