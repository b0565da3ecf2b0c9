import { timingSafeEqual, X509Certificate } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { limitPipelining } from '../../platform/http/pipelining.js';
import { PROJECT_ID_HEADER } from '../../platform/identity/brand.js';
import type { ServerCertificate } from '../certificates.js';

/** Records on the page. */
const SHOWN_MAX = 50;
const BODY_BYTES_MAX = 256 * 1024;
/** How much of the log is read: the most that the displayed records can take. */
const TAIL_BYTES_MAX = 1024 * 1024;
const HOST = '127.0.0.1';
/** A start this long before the certificate expires creates a new one. */
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60 * 1000;

/** A logged request, one JSON line each, as it arrived. */
export interface ReceivedRecord {
  receivedAt: string;
  path: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

/**
 * The token that the project's deliveries carry; null if they carry none. It may be a second old unless `fresh` is set.
 */
export type ExpectedToken = (projectId: string, options?: { fresh: boolean }) => Promise<string | null>;

/**
 * A customer's HTTPS endpoint on loopback, for trying out the service. It appends every request to a log of JSON lines,
 * which only its owner can read because it contains the headers, returns 204, and shows the last requests on a page,
 * including those from before a restart.
 * - `POST /consents` requires the token that the project's owner has saved, and returns 401 otherwise (spec §5).
 * - `POST /protected` requires the demo's first token.
 * - `POST /hang` never returns; `POST /status/:code` returns that status.
 */
export class DemoReceiver {
  private server: Server | null = null;
  /** Log lines that the next write takes. */
  private lines: string[] = [];
  private nextWrite: Promise<void> | null = null;
  /** Descriptor of the log, open since the first request. */
  private log: number | null = null;
  readonly logFile: string;
  readonly caFile: string;
  private readonly portFile: string;
  port = 0;

  constructor(
    private readonly folder: string,
    private readonly token: string,
    private readonly expectedToken: ExpectedToken,
  ) {
    mkdirSync(folder, { recursive: true });
    ({ logFile: this.logFile, caFile: this.caFile } = receiverFiles(folder));
    this.portFile = join(folder, 'port');
  }

  /** Listens on the port of the previous start, or on another one if that is taken. */
  async start(): Promise<void> {
    const { certificatePem, privateKeyPem } = await this.certificate();
    this.server = createServer(
      { cert: certificatePem, key: privateKeyPem, keepAliveTimeout: 30_000 },
      (request, response) => {
        this.receive(request, response).catch(() => response.destroy());
      },
    );
    limitPipelining(this.server);
    const savedPort = existsSync(this.portFile) ? Number(readFileSync(this.portFile, 'utf8')) : 0;
    this.port = await this.listen(savedPort).catch(() => this.listen(0));
    writeFileSync(this.portFile, String(this.port));
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
    await this.nextWrite?.catch(() => {});
    if (this.log !== null) closeSync(this.log);
    this.log = null;
  }

  private listen(port: number): Promise<number> {
    const server = this.server as Server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, HOST, () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  /**
   * Created at the first start and kept until it is about to expire; the authority's key is discarded after it has
   * signed this one.
   */
  private async certificate(): Promise<ServerCertificate> {
    const file = join(this.folder, 'certificate.json');
    if (!existsSync(file) || !existsSync(this.caFile) || expiresSoon(readCertificate(file))) {
      const { createCertificateAuthority, issueCertificate } = await import('../certificates.js');
      const authority = await createCertificateAuthority('Demo receiver authority');
      const issued = await issueCertificate(authority, [HOST, 'localhost']);
      writeFileSync(this.caFile, authority.certificatePem);
      writeFileSync(file, JSON.stringify(issued), { mode: 0o600 });
    }
    return readCertificate(file);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (request.method === 'GET') {
      const page = renderPage(await readRecent(this.logFile));
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    const text = await readBody(request);
    const status = await this.judge(request, path);
    await this.append({
      receivedAt: new Date().toISOString(),
      path,
      status: status ?? 0,
      headers: request.headers,
      body: parseJson(text),
    });
    if (status === null) return;
    if (status === 204) response.writeHead(204).end();
    else
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: describe(status) }));
  }

  /** The status to return, or null to never respond. */
  private async judge(request: IncomingMessage, path: string): Promise<number | null> {
    if (path === '/hang') return null;
    const given = request.headers.authorization ?? '';
    if (path === '/protected' && !sameText(given, `Bearer ${this.token}`)) return 401;
    if (path === '/consents') {
      const projectId = request.headers[PROJECT_ID_HEADER.toLowerCase()];
      if (typeof projectId !== 'string') return 401;
      if (!(await this.isExpected(given, projectId))) return 401;
    }
    const requested = Number(/^\/status\/(\d{3})$/.exec(path)?.[1] ?? 204);
    return requested >= 200 && requested <= 599 ? requested : 400;
  }

  /** Whether the header has the project's token. The owner may have just replaced it, so a mismatch is checked again. */
  private async isExpected(given: string, projectId: string): Promise<boolean> {
    for (const fresh of [false, true]) {
      const expected = await this.expectedToken(projectId, { fresh });
      if (expected === null || sameText(given, `Bearer ${expected}`)) return true;
    }
    return false;
  }

  /**
   * Resolves once the record is in the log. Records that arrive in one turn of the event loop are written together;
   * synchronously, because handing a few lines to a thread takes longer than writing them.
   */
  private append(record: ReceivedRecord): Promise<void> {
    this.lines.push(`${JSON.stringify(record)}\n`);
    this.nextWrite ??= new Promise((turned) => setImmediate(turned)).then(() => this.write());
    return this.nextWrite;
  }

  private write(): void {
    const { lines } = this;
    this.lines = [];
    this.nextWrite = null;
    this.log ??= openSync(this.logFile, 'a', 0o600);
    appendFileSync(this.log, lines.join(''));
  }
}

/** The files of a receiver's folder that others read. */
export function receiverFiles(folder: string): { logFile: string; caFile: string } {
  return { logFile: join(folder, 'receiver.jsonl'), caFile: join(folder, 'ca.pem') };
}

export function receiverUrl(port: number): string {
  return `https://${HOST}:${port}/consents`;
}

/** The last requests of a log, newest first. Skips an incomplete line of a killed process. */
export async function readRecent(logFile: string): Promise<ReceivedRecord[]> {
  if (!existsSync(logFile)) return [];
  const log = await open(logFile);
  try {
    const { size } = await log.stat();
    const length = Math.min(size, TAIL_BYTES_MAX);
    const { buffer } = await log.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8').trim().split('\n').slice(-SHOWN_MAX);
    const records = lines.map(parseJson).filter((record) => typeof record === 'object' && record !== null);
    return (records as ReceivedRecord[]).toReversed();
  } finally {
    await log.close();
  }
}

function describe(status: number): string {
  return status === 401 ? 'The bearer token is missing or incorrect.' : `This path returns ${status}.`;
}

/** Compares in constant time for texts of equal length. */
function sameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** By events, which cost less than iterating over the request. */
function readBody(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) request.destroy(new Error('body too large'));
    else chunks.push(chunk);
  });
  request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  request.on('error', reject);
  return promise;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function renderPage(records: ReceivedRecord[]): string {
  const rows = records
    .map(
      ({ receivedAt, path, status, body }) =>
        `<tr><td>${escape(receivedAt)}<td>${escape(path)}<td>${status || 'no response'}<td><code>${escape(JSON.stringify(body))}</code>`,
    )
    .join('');
  const table = rows
    ? `<table><tr><th>received<th>path<th>status<th>body${rows}</table>`
    : '<p>Nothing received yet.</p>';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Demo receiver</title>
<style>body{font:14px system-ui;margin:2rem}td,th{text-align:left;padding:.2rem .8rem;vertical-align:top}</style>
<h1>Demo receiver</h1><p>The last ${SHOWN_MAX} requests, newest first.</p>${table}`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function readCertificate(file: string): ServerCertificate {
  return JSON.parse(readFileSync(file, 'utf8')) as ServerCertificate;
}

function expiresSoon({ certificatePem }: ServerCertificate): boolean {
  return new X509Certificate(certificatePem).validToDate.getTime() - Date.now() < RENEW_BEFORE_MS;
}
