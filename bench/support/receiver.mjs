// A helper: an owner's HTTPS endpoint. `/now` answers 204 at once, `/after/20` after 20 ms, `/hang` never.
import { createServer } from 'node:https';
import { issueCertificate, createCertificateAuthority } from '../../dist/standalone/certificates.js';
import { answerCalls } from './helper.mjs';

const CONSENT_ID_HEADER = 'x-service-consent-id';
const KEEP_ALIVE_MS = 60_000;
const LARGEST_BACKLOG = 4_096;

/** When each record came first, in nanoseconds of the machine's monotonic clock, which all processes share. */
/** @type {Map<string, bigint>} */
const receivedAt = new Map();
let requests = 0;
/** False in runs of millions of records: it only counts requests. */
let remembers = true;
/** While it is away every request is answered so; null: it is not. */
/** @type {number | null} */
let awayStatus = null;
let firstAt = 0n;
let lastAt = 0n;

/** @type {import('node:http').RequestListener} */
function receive(request, response) {
  request.resume();
  request.once('end', () => {
    const now = process.hrtime.bigint();
    requests += 1;
    if (requests === 1) firstAt = now;
    lastAt = now;
    const id = request.headers[CONSENT_ID_HEADER];
    if (remembers && typeof id === 'string' && !receivedAt.has(id)) receivedAt.set(id, now);
    if (awayStatus !== null) return response.writeHead(awayStatus).end();
    const path = request.url ?? '';
    if (path === '/hang') return;
    const waitMs = Number(/^\/after\/(\d+)$/.exec(path)?.[1] ?? 0);
    if (waitMs === 0) response.writeHead(204).end();
    else setTimeout(() => response.writeHead(204).end(), waitMs);
  });
}

answerCalls({
  /** @param {{ authority: { certificatePem: string, privateKeyPem: string } }} args */
  listen: async ({ certificate }) => {
    const server = createServer(
      { cert: certificate.certificatePem, key: certificate.privateKeyPem, keepAliveTimeout: KEEP_ALIVE_MS },
      receive,
    );
    await new Promise((resolve) => {
      server.listen({ port: 0, host: '127.0.0.1', backlog: LARGEST_BACKLOG }, () => resolve(undefined));
    });
    const address = server.address();
    return { port: typeof address === 'object' && address ? address.port : 0 };
  },
  makeCertificate: async () => {
    const authority = await createCertificateAuthority('Benchmark authority');
    const certificate = await issueCertificate(authority, ['127.0.0.1', 'localhost', 'receiver.example.com']);
    return { caPem: authority.certificatePem, certificate };
  },
  /** @param {{ status: number | null }} args null: it answers again as its paths say */
  away: ({ status }) => {
    awayStatus = status;
  },
  /** @param {{ remember?: boolean }} args */
  reset: ({ remember = true }) => {
    remembers = remember;
    receivedAt.clear();
    requests = 0;
    firstAt = 0n;
    lastAt = 0n;
  },
  counts: () => ({ requests, distinct: receivedAt.size, firstAt, lastAt }),
  arrivals: () => receivedAt,
});
