import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import {
  type CertificateAuthority,
  issueCertificate,
  createCertificateAuthority,
} from '../../../src/standalone/certificates.js';

/** The receiver's behavior for a request. */
export type Behaviour =
  | { kind: 'answer'; status: number; body?: string | Buffer; headers?: Record<string, string> }
  /** Answers after a while. */
  | { kind: 'slow'; status: number; afterMs: number }
  /** Takes the request and says nothing. */
  | { kind: 'hang' }
  /** Says nothing to requests for the path, and answers 204 to the others. */
  | { kind: 'by_path'; hangs: string }
  /** Sends a byte of the head now and then, and never ends. */
  | { kind: 'drip' }
  /** Status line and head, then nothing of the announced body. */
  | { kind: 'hang_after_head'; status: number }
  /** Returns a body of the given number of bytes. */
  | { kind: 'flood'; bytes: number }
  /** Writes these bytes verbatim, each part in a separate packet, and keeps the connection. */
  | { kind: 'raw'; parts: string[] }
  /** Closes the connection hard without an answer. */
  | { kind: 'reset' }
  /** Closes the connection after the first bytes of a status line. */
  | { kind: 'reset_mid_head' }
  /** Answers with bytes that are no HTTP. */
  | { kind: 'garbage' }
  /** Resets a connection that has carried a request before; answers 204 on a new one. */
  | { kind: 'reset_reused' }
  /** Resets a connection that has carried a request before after a while; says nothing on a new one. */
  | { kind: 'reset_reused_late'; afterMs: number };

/** A request as it arrived. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: string;
  /** Which connection it came on, counted from 1. */
  connection: number;
  /** Whether that connection resumed the TLS session of another one. */
  resumesSession: boolean;
}

/** A real HTTPS receiver on loopback. */
export interface Receiver {
  url: string;
  port: number;
  requests: ReceivedRequest[];
  /** Connections that were made so far, whether a request came on them or not. */
  connections(): number;
  behave(behaviour: Behaviour): void;
  /** Writes unsolicited bytes on all connections. */
  sendUnasked(bytes: string): void;
  /** Closes the kept connections that carry no request at this moment. */
  disconnectIdle(): void;
  /** Destroys all connections, including ones in use. */
  disconnect(): void;
  close(): Promise<void>;
}

/** The authority of one test file, and the file that `FORWARDING_EXTRA_CA_FILE` names. */
export interface TestAuthority {
  authority: CertificateAuthority;
  caFile: string;
  remove(): void;
}

const DRIP_MS = 20;

export async function makeTestAuthority(): Promise<TestAuthority> {
  const authority = await createCertificateAuthority('Test authority');
  const folder = mkdtempSync(join(tmpdir(), 'consent-ca-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, authority.certificatePem);
  return { authority, caFile, remove: () => rmSync(folder, { recursive: true }) };
}

/** Starts a receiver that returns 204 by default. `hosts` are the names in its certificate. */
export async function startReceiver(
  authority: CertificateAuthority,
  options: { hosts?: string[]; address?: string; expired?: boolean; behaviour?: Behaviour } = {},
): Promise<Receiver> {
  const { address = '127.0.0.1', hosts = [address, 'localhost'], expired = false } = options;
  const { certificatePem, privateKeyPem } = await issueCertificate(authority, hosts, { expired });
  const requests: ReceivedRequest[] = [];
  const sockets = new Map<Socket, { connection: number; requests: number }>();
  let connections = 0;
  let behaviour: Behaviour = options.behaviour ?? { kind: 'answer', status: 204 };

  const server = createServer({ cert: certificatePem, key: privateKeyPem, keepAliveTimeout: 60_000 });
  server.on('secureConnection', (socket: Socket) => {
    connections += 1;
    sockets.set(socket, { connection: connections, requests: 0 });
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const known = sockets.get(request.socket);
    if (!known) return;
    known.requests += 1;
    requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks).toString('utf8'),
      connection: known.connection,
      resumesSession: (request.socket as TLSSocket).isSessionReused(),
    });
    const hangs = behaviour.kind === 'by_path' && behaviour.hangs === request.url;
    act(hangs ? { kind: 'hang' } : behaviour, {
      response,
      socket: request.socket,
      reused: known.requests > 1,
    });
  });
  const port = await listen(server, address);
  return {
    url: `https://${address}:${port}/hook`,
    port,
    requests,
    connections: () => connections,
    behave: (next) => (behaviour = next),
    sendUnasked: (bytes) => {
      for (const socket of sockets.keys()) socket.write(bytes);
    },
    disconnectIdle: () => server.closeIdleConnections(),
    disconnect: () => {
      for (const socket of sockets.keys()) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.keys()) socket.destroy();
      }),
  };
}

function act(
  behaviour: Behaviour,
  { response, socket, reused }: { response: ServerResponse; socket: Socket; reused: boolean },
): void {
  switch (behaviour.kind) {
    case 'answer':
      response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
      return;
    case 'slow':
      setTimeout(() => response.writeHead(behaviour.status).end(), behaviour.afterMs);
      return;
    case 'by_path':
      response.writeHead(204).end();
      return;
    case 'hang':
      return;
    case 'drip': {
      socket.write('HTTP/1.1 200 OK\r\nX-Drip: ');
      const timer = setInterval(() => socket.write('a'), DRIP_MS);
      socket.once('close', () => clearInterval(timer));
      return;
    }
    case 'hang_after_head':
      response.writeHead(behaviour.status, { 'content-length': '10' }).flushHeaders();
      return;
    case 'flood':
      response.writeHead(200, { 'content-length': String(behaviour.bytes) });
      response.on('error', () => {}).end(Buffer.alloc(behaviour.bytes, 'x'));
      return;
    case 'raw':
      void writeApart(socket, behaviour.parts);
      return;
    case 'reset':
      socket.destroy();
      return;
    case 'reset_mid_head':
      socket.write('HTTP/1.1 20', () => socket.destroy());
      return;
    case 'garbage':
      socket.end('\u0000\u0001 this is no HTTP at all\r\n\r\n');
      return;
    case 'reset_reused':
      if (reused) socket.destroy();
      else response.writeHead(204).end();
      return;
    case 'reset_reused_late':
      if (reused) setTimeout(() => socket.destroy(), behaviour.afterMs);
  }
}

async function writeApart(socket: Socket, parts: string[]): Promise<void> {
  socket.setNoDelay();
  for (const part of parts) {
    socket.write(part);
    await new Promise((wake) => setTimeout(wake, DRIP_MS));
  }
}

function listen(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, () => resolve((server.address() as AddressInfo).port));
  });
}
