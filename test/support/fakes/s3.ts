import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireExtra } from '../programs/extras.js';

const BUCKET = 'sites';
/** s3rver knows this one pair of credentials. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** How the proxy between the service and the S3 server treats a request. */
type StorageBehaviour =
  | { kind: 'pass' }
  /** Answers without asking the server. */
  | { kind: 'answer'; status: number }
  /** Passes the request on once `until` resolves, whether the client has given up by then or not. */
  | { kind: 'late'; until: Promise<void> }
  | { kind: 'hang' };

export interface S3Request {
  method: string;
  key: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A real S3 server over HTTP, behind a proxy that can be slow, broken or away. */
export interface TestS3 {
  /** For STORAGE_URL. */
  url: string;
  requests: S3Request[];
  behave(behaviour: (request: S3Request) => StorageBehaviour): void;
  /** An object and its headers, as a CDN reads them; null: it does not exist. */
  read(key: string): Promise<{ body: string; headers: Headers } | null>;
  close(): Promise<void>;
}

interface S3rverServer {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type S3rverClass = new (options: Record<string, unknown>) => S3rverServer;

export async function startS3(prefix = 'prefix', address = '127.0.0.1'): Promise<TestS3> {
  const directory = mkdtempSync(join(tmpdir(), 'consent-s3-'));
  const S3rver = requireExtra('s3rver') as S3rverClass;
  const s3 = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port: s3Port } = await s3.run();
  const requests: S3Request[] = [];
  let behaviour: (request: S3Request) => StorageBehaviour = () => ({ kind: 'pass' });

  const proxy = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = incoming;
    const key = decodeURIComponent(url.split('?')[0] ?? '').replace(`/${BUCKET}/`, '');
    const received: S3Request = { method, key, headers, body: Buffer.concat(chunks) };
    requests.push(received);
    const does = behaviour(received);
    if (does.kind === 'hang') return;
    if (does.kind === 'answer') {
      response.writeHead(does.status).end();
      return;
    }
    if (does.kind === 'late') await does.until;
    const onward = request({ port: s3Port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end(received.body);
  });
  await new Promise<void>((ready) => proxy.listen(0, address, ready));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `s3://${BUCKET}/${prefix}?endpoint=http://${address}:${port}&region=eu-central-1`,
    requests,
    behave: (next) => (behaviour = next),
    read: async (key) => {
      const response = await fetch(`http://127.0.0.1:${s3Port}/${BUCKET}/${prefix}/${key}`);
      return response.ok ? { body: await response.text(), headers: response.headers } : null;
    },
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((done) => proxy.close(done));
      await s3.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
