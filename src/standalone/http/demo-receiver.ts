import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PROJECT_ID_HEADER } from '../../shared/brand.js';
import {
  issueCertificate,
  makeCertificateAuthority,
  type ServerCertificate,
} from '../infrastructure/certificates.js';

/** Records that the page shows. */
const SHOWN_MAX = 50;
const BODY_BYTES_MAX = 256 * 1024;
/** How much of the log is read: the most that the displayed records can take. */
const TAIL_BYTES_MAX = 1024 * 1024;
const HOST = '127.0.0.1';
/** A start this long before the certificate expires creates a new one. */
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60 * 1000;

/** A request as the receiver writes it down, one JSON line each, just as it arrived. */
export interface ReceivedRecord {
  receivedAt: string;
  path: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

/**
 * A customer's HTTPS endpoint on loopback, for trying the service out: answers 204, writes every request to a
 * log of JSON lines (readable by its owner alone, because the headers are written as they came) and shows the
 * last ones on a page, those from before a restart too. `POST /consents` takes the token that the project's owner
 * has saved, and answers 401 otherwise (spec §5); `POST /protected` takes the token that the demo was set up with;
 * `POST /hang` never answers;
 * `POST /status/:code` answers that code.
 */
export class DemoReceiver {
  private server: Server | null = null;
  private readonly shown: ReceivedRecord[] = [];
  readonly logFile: string;
  readonly caFile: string;
  readonly bundleFile: string;
  private readonly portFile: string;
  port = 0;

  constructor(
    private readonly folder: string,
    private readonly token: string,
    /** The token to expect of a project; null: it sends none. */
    private readonly expectedOf: (projectId: string) => Promise<string | null>,
  ) {
    mkdirSync(folder, { recursive: true });
    this.logFile = join(folder, 'receiver.jsonl');
    this.caFile = join(folder, 'ca.pem');
    this.bundleFile = join(folder, 'trusted.pem');
    this.portFile = join(folder, 'port');
  }

  get target(): string {
    return `${HOST}:${this.port}`;
  }

  get url(): string {
    return `https://${this.target}/consents`;
  }

  get last(): ReceivedRecord[] {
    return this.shown;
  }

  /** Listens on the port of the start before, or on another one where that is taken by now. */
  async start(): Promise<void> {
    this.shown.push(...lastOf(this.logFile));
    const { certificatePem, privateKeyPem } = await this.certificate();
    this.server = createServer(
      { cert: certificatePem, key: privateKeyPem, keepAliveTimeout: 30_000 },
      (request, response) => {
        this.receive(request, response).catch(() => response.destroy());
      },
    );
    const wanted = existsSync(this.portFile) ? Number(readFileSync(this.portFile, 'utf8')) : 0;
    this.port = await this.listen(wanted).catch(() => this.listen(0));
    writeFileSync(this.portFile, String(this.port));
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
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
      const authority = await makeCertificateAuthority('Demo receiver authority');
      const issued = await issueCertificate(authority, [HOST, 'localhost']);
      writeFileSync(this.caFile, authority.certificatePem);
      writeFileSync(file, JSON.stringify(issued), { mode: 0o600 });
    }
    return readCertificate(file);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(this.shown));
      return;
    }
    const text = await bodyOf(request);
    const status = await this.statusOf(request, path);
    this.writeDown({
      receivedAt: new Date().toISOString(),
      path,
      status: status ?? 0,
      headers: request.headers,
      body: jsonOf(text),
    });
    if (status === null) return;
    if (status === 204) response.writeHead(204).end();
    else
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: errorOf(status) }));
  }

  /** The status to answer, or null to never answer. */
  private async statusOf(request: IncomingMessage, path: string): Promise<number | null> {
    if (path === '/hang') return null;
    const projectId = request.headers[PROJECT_ID_HEADER.toLowerCase()];
    const expected =
      path === '/protected'
        ? this.token
        : path === '/consents' && typeof projectId === 'string'
          ? await this.expectedOf(projectId)
          : null;
    const given = request.headers.authorization ?? '';
    if (expected !== null && !sameText(given, `Bearer ${expected}`)) return 401;
    if (path === '/consents' && typeof projectId !== 'string') return 401;
    const asked = Number(/^\/status\/(\d{3})$/.exec(path)?.[1] ?? 204);
    return asked >= 200 && asked <= 599 ? asked : 400;
  }

  private writeDown(record: ReceivedRecord): void {
    this.shown.unshift(record);
    this.shown.length = Math.min(this.shown.length, SHOWN_MAX);
    appendFileSync(this.logFile, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  }
}

/** The last records of a log, newest first; a line that a killed start left half is skipped. */
function lastOf(logFile: string): ReceivedRecord[] {
  if (!existsSync(logFile)) return [];
  const bytes = readFileSync(logFile);
  const lines = bytes.subarray(-TAIL_BYTES_MAX).toString('utf8').trim().split('\n').slice(-SHOWN_MAX);
  const records = lines.map(jsonOf).filter((record) => typeof record === 'object' && record !== null);
  return (records as ReceivedRecord[]).toReversed();
}

function errorOf(status: number): string {
  return status === 401 ? 'The bearer token is missing or incorrect.' : `This path returns ${status}.`;
}

/** Compares in a time that does not depend on where the two differ. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pageOf(records: ReceivedRecord[]): string {
  const rows = records
    .map(
      ({ receivedAt, path, status, body }) =>
        `<tr><td>${escape(receivedAt)}<td>${escape(path)}<td>${status || 'no response'}<td><code>${escape(JSON.stringify(body))}</code>`,
    )
    .join('');
  const table = rows
    ? `<table><tr><th>received<th>path<th>answered<th>body${rows}</table>`
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
