import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import tls, { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { StripeGateway } from '../../src/modules/billing/infrastructure/stripe-gateway.js';
import type { BillingSettings } from '../../src/modules/billing/billing.settings.js';
import { openPool } from '../../src/platform/database/postgres-pool.js';
import { queueConnection, QueueLifetime } from '../../src/platform/database/queue.js';
import { requestTimestamp } from '../../src/modules/evidence/infrastructure/timestamp-client.js';
import { Sender } from '../../src/platform/delivery/sender.js';
import { smtpMailer } from '../../src/platform/mail/infrastructure/smtp-mailer.js';
import { GuardedProxy, REQUEST_LIMIT } from '../../src/scanner/browser/guarded-proxy.js';
import { readText, SiteFileReader } from '../../src/scanner/site/site-file.js';
import { parseExceptions } from '../../src/platform/network/address-policy.js';
import { NameResolver } from '../../src/platform/network/name-resolver.js';
import { S3Store } from '../../src/platform/storage/s3-store.js';
import {
  hashPublicKey,
  REMOVED_AUTHORITIES,
  useTrustedRoots,
} from '../../src/platform/network/trusted-roots.js';
import { issueCertificate, type ServerCertificate } from '../../src/standalone/certificates.js';
import { freePort } from '../support/programs/free-port.js';
import { makeTestAuthority, type TestAuthority } from '../support/fakes/receiver.js';
import { testSettings } from '../support/programs/service.js';

/** emSign Root CA - G1, whose key is not known to have leaked. */
const STILL_TRUSTED = '376a1a7082a593dccc20d561d119e9ab8d30f11cc321d0a37fa41f0df284e01c';
const LEAKED = ['emSign ECC Root CA - G3', 'emSign Root CA - C1', 'emSign ECC Root CA - C3'];
const DIST = resolve('dist');

/** Every program and every thread's program of the service. */
const PROGRAMS = globSync(['*.js', 'programs/*-program.js', 'standalone/demo/*-program.js'], { cwd: DIST });
const THREADS = globSync('**/*-thread.js', { cwd: DIST });

/** Prints the keys that a program, or with THREAD one of its threads, trusts by default. */
const PROBE = `
  import { writeSync } from 'node:fs';
  import tls from 'node:tls';
  import { isMainThread, parentPort, Worker } from 'node:worker_threads';
  import { hashPublicKey } from '${join(DIST, 'platform', 'network', 'trusted-roots.js')}';
  const { THREAD } = process.env;
  const report = () =>
    writeSync(1, '\\nroots ' + JSON.stringify(tls.getCACertificates('default').map(hashPublicKey)) + '\\n');
  if (isMainThread && THREAD) new Worker(THREAD);
  else if (isMainThread) process.on('exit', report);
  else {
    const waiting = setInterval(() => {
      if (parentPort.listenerCount('message') === 0) return;
      report();
      process.exit();
    }, 20);
  }
`;

/** The result of a connection: the server's certificate was accepted or refused. */
type Outcome = 'accepted' | 'refused';

/** A kind of outbound connection, against a TLS server with the given certificate. */
interface Kind {
  name: string;
  serve(certificate: ServerCertificate): Server | SMTPServer;
  connect(port: number): Promise<Outcome>;
}

const settings = testSettings('postgres://127.0.0.1/none');
let authority: TestAuthority;
let byDefault: string[];
let ends: (() => unknown)[];

beforeEach(async () => {
  byDefault = tls.getCACertificates('default');
  ends = [];
  authority = await makeTestAuthority();
});
afterEach(async () => {
  tls.setDefaultCACertificates(byDefault);
  for (const end of ends.reverse()) await end();
  authority.remove();
});

function web({ certificatePem, privateKeyPem }: ServerCertificate): Server {
  return createHttpsServer({ cert: certificatePem, key: privateKeyPem }, (request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
}

function mailServer(options: SMTPServerOptions): (certificate: ServerCertificate) => SMTPServer {
  return ({ certificatePem, privateKeyPem }) => {
    const server = new SMTPServer({
      ...options,
      cert: certificatePem,
      key: privateKeyPem,
      authOptional: true,
      disableReverseLookup: true,
      onData: (stream, _session, taken) => void stream.resume().on('end', () => taken()),
    });
    return server.on('error', () => {});
  };
}

async function sendMail(encryption: 'implicit' | 'required', port: number): Promise<Outcome> {
  const send = smtpMailer({ host: '127.0.0.1', port, encryption, credentials: null });
  const texts = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };
  const mail = { id: 'one', from: 'a@shop.example', to: 'b@shop.example', ...texts };
  const verdict = await send(mail, new AbortController().signal);
  return verdict.kind === 'accepted' ? 'accepted' : 'refused';
}

async function forward(port: number, extraCaFile: string): Promise<Outcome> {
  const sender = new Sender({
    ...settings.delivery,
    allowedPrivateTargets: [`127.0.0.1:${port}`],
    extraCaFile,
  });
  ends.push(() => sender.onApplicationShutdown());
  const sent = await sender.send({ url: new URL(`https://127.0.0.1:${port}/`), headers: [], body: '{}' });
  if (sent.kind === 'answered' && sent.answer.kind === 'status') return 'accepted';
  expect(sent).toMatchObject({ answer: { category: 'tls' } });
  return 'refused';
}

/** Ours, or the error of a certificate that is not trusted: every other one fails the test. */
function refusedOr(error: unknown): Outcome {
  for (let each = error; each instanceof Error; each = each.cause ?? (each as { detail?: unknown }).detail)
    if (
      /UNABLE_TO|SELF_SIGNED|unable to (verify|get)|self.signed/.test(
        `${(each as { code?: string }).code} ${each.message}`,
      )
    )
      return 'refused';
  throw error;
}

const KINDS: Kind[] = [
  { name: 'forwarding', serve: web, connect: (port) => forward(port, '') },
  {
    name: 'forwarding by FORWARDING_EXTRA_CA_FILE',
    serve: web,
    connect: (port) => forward(port, authority.caFile),
  },
  {
    name: 'object storage',
    serve: web,
    connect: async (port) => {
      const location = { bucket: 'sites', prefix: '', region: 'eu', pathStyle: true };
      const store = new S3Store({ kind: 's3', ...location, endpoint: `https://127.0.0.1:${port}` }, 10_000);
      ends.push(() => store.close());
      setEnvironment({ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
      return store.read('a.json').then(() => 'accepted' as const, refusedOr);
    },
  },
  {
    name: 'Stripe',
    serve: web,
    connect: async (port) => {
      const base = { stripeSecretKey: 'sk_test_1', stripeApiBase: `https://127.0.0.1:${port}` };
      const gateway = new StripeGateway(base as BillingSettings);
      return gateway.subscription('sub_1').then(() => 'accepted' as const, refusedOr);
    },
  },
  { name: 'mail', serve: mailServer({ secure: true }), connect: (port) => sendMail('implicit', port) },
  { name: 'mail by STARTTLS', serve: mailServer({}), connect: (port) => sendMail('required', port) },
  {
    name: 'time stamps',
    serve: web,
    connect: async (port) => {
      const stopped = new AbortController().signal;
      const response = await requestTimestamp(`https://127.0.0.1:${port}/`, Buffer.alloc(1), stopped);
      return response.kind === 'answered' ? 'accepted' : refusedOr(new Error(response.detail));
    },
  },
  {
    name: "the scanner's own requests",
    serve: web,
    connect: async (port) => {
      const proxy = new GuardedProxy({
        resolver: new NameResolver({ timeoutMs: 1_000, servers: ['127.0.0.1:9'] }),
        exceptions: parseExceptions([`127.0.0.1:${port}`]),
        excludedHosts: [],
        connectTimeoutMs: 10_000,
        pageBytesMax: 1_000_000,
        requestLimit: REQUEST_LIMIT,
      });
      const reader = new SiteFileReader(proxy, { port: await proxy.listen(), userAgent: 'test' });
      ends.push(() => proxy.close());
      const file = await reader.get(`https://127.0.0.1:${port}/robots.txt`, {
        timeoutMs: 10_000,
        signal: new AbortController().signal,
        mayRead: () => true,
        read: (body) => readText(body, 100),
      });
      expect(['response', 'unreachable']).toContain(file.kind);
      return file.kind === 'response' ? 'accepted' : 'refused';
    },
  },
  {
    name: 'PostgreSQL',
    serve: postgresServer,
    connect: async (port) => {
      const databaseUrl = `postgres://service@localhost:${port}/service?sslmode=verify-full`;
      const purpose = { name: 'test', connections: 1, statementMs: 10_000, onDropped: () => {} };
      const pool = openPool({ databaseUrl }, purpose);
      ends.push(() => pool.end());
      const failure: unknown = await pool.connect().catch((error: unknown) => error);
      return (failure as { code?: string }).code === '57P03' ? 'accepted' : refusedOr(failure);
    },
  },
  {
    name: 'Redis',
    serve: redisServer,
    connect: (port) => {
      const lifetime = new QueueLifetime();
      const redis = { redisUrl: `rediss://127.0.0.1:${port}`, databaseUrl: '' };
      const queue = new Queue('test', { ...queueConnection(redis, lifetime), skipVersionCheck: true });
      ends.push(async () => {
        lifetime.onModuleDestroy();
        await queue.close().catch(() => {});
      });
      return new Promise<Outcome>((done, failed) => {
        redisCommand = () => done('accepted');
        queue.on('error', (error) => {
          try {
            done(refusedOr(error));
          } catch (other) {
            failed(other as Error);
          }
        });
      });
    },
  },
];

/** Sets variables until the test ends. */
function setEnvironment(variables: Record<string, string>): void {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  ends.push(() => {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
}

/** Called when a Redis client has accepted the certificate and sent its first command. */
let redisCommand: () => void = () => {};

function redisServer({ certificatePem, privateKeyPem }: ServerCertificate): Server {
  return createTlsServer({ cert: certificatePem, key: privateKeyPem }, (socket) => {
    socket
      .on('error', () => {})
      .once('data', () => {
        redisCommand();
        socket.destroy();
      });
  });
}

/** The beginning of PostgreSQL's protocol: TLS by request, then "the database system is starting up". */
function postgresServer({ certificatePem, privateKeyPem }: ServerCertificate): Server {
  const secureContext = createSecureContext({ cert: certificatePem, key: privateKeyPem });
  return createTcpServer((socket: Socket) => {
    socket
      .on('error', () => {})
      .once('data', () => {
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, secureContext });
        secure
          .on('error', () => {})
          .once('data', () => {
            const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');
            const length = Buffer.alloc(4);
            length.writeInt32BE(fields.length + 4);
            secure.end(Buffer.concat([Buffer.from('E'), length, fields]));
          });
      });
  });
}

describe('an authority', () => {
  it.each(KINDS)('is trusted until it is listed: $name', async ({ name, serve, connect }) => {
    // The file is enough for forwarding to trust it.
    if (!name.includes('FILE')) {
      expect(await connect(await listen(serve))).toBe('refused');
      tls.setDefaultCACertificates([...byDefault, authority.authority.certificatePem]);
    }
    expect(await connect(await listen(serve))).toBe('accepted');

    const publicKeySha256 = hashPublicKey(authority.authority.certificatePem) ?? '';
    REMOVED_AUTHORITIES.push({ name: 'Test', publicKeySha256, reason: 'A test.', removedOn: '2026-11-28' });
    ends.push(() => REMOVED_AUTHORITIES.pop());
    useTrustedRoots();
    expect(await connect(await listen(serve))).toBe('refused');
  });
});

/** A separate server for each attempt, because clients keep connections and sessions. */
async function listen(serve: Kind['serve']): Promise<number> {
  const server = serve(await issueCertificate(authority.authority, ['127.0.0.1', 'localhost']));
  const sockets = new Set<Socket>();
  (server as Server).on('connection', (socket: Socket) => sockets.add(socket));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close(() => {});
  });
  const port = await freePort();
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  return port;
}

describe('the removed authorities', () => {
  it('are three of emSign, by the keys that Node has under these names', () => {
    const bundled = new Map(
      tls.getCACertificates('bundled').map((pem) => [hashPublicKey(pem), pem] as const),
    );
    const names = REMOVED_AUTHORITIES.map(({ publicKeySha256 }) => {
      const pem = bundled.get(publicKeySha256);
      return pem ? /CN=(.*)/.exec(new X509Certificate(pem).subject)?.[1] : null;
    });
    expect(names).toEqual(LEAKED);
    expect(REMOVED_AUTHORITIES.map(({ name }) => name)).toEqual(LEAKED);
  });

  it.each(PROGRAMS)('are in no list of the program %s', async (program) => {
    expectWithoutLeaked(await probe([join(DIST, program)]));
  });

  it.each(THREADS)('are in no list of the thread %s', async (thread) => {
    expectWithoutLeaked(await probe(['--eval', ''], { THREAD: join(DIST, thread) }));
  });

  it('are in no list where --use-openssl-ca or --use-system-ca gives another', async () => {
    for (const option of ['--use-openssl-ca', '--use-system-ca'])
      expectWithoutLeaked(await probe([option, join(DIST, 'ops.js')]));
  });
});

function expectWithoutLeaked(keys: string[]): void {
  expect(keys).toContain(STILL_TRUSTED);
  for (const { publicKeySha256 } of REMOVED_AUTHORITIES) expect(keys).not.toContain(publicKeySha256);
}

/** Runs a program that ends at once: its settings are invalid, or it never gets any. */
async function probe(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'consent-roots-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  const probeFile = join(folder, 'probe.mjs');
  writeFileSync(probeFile, PROBE);
  // As an operator might: the whole list of a distribution beside Node's.
  const everything = join(folder, 'everything.pem');
  writeFileSync(everything, tls.getCACertificates('bundled').join('\n'));
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    PORT: 'none',
    DATA_DIR: folder,
    NODE_EXTRA_CA_CERTS: everything,
    SSL_CERT_FILE: everything,
    ...environment,
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', probeFile, ...args], {
    env,
  }).catch((failed: unknown) => failed as { stdout: string });
  const roots = stdout.match(/^roots (.*)$/gm);
  expect(roots).toHaveLength(1);
  return JSON.parse(roots?.[0]?.slice('roots '.length) ?? '') as string[];
}
