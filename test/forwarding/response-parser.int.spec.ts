import { Agent, get } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ResponseParser } from '../../src/platform/delivery/domain/response-parser.js';

const ANSWERS = 1_000;
/** Node has the whole answer in one piece; it says what it makes of it within moments, or never. */
const PATIENCE_MS = 10_000;

let server: Server;
/** The next connection's response to any request. */
let answer = '';

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(answer, 'latin1'));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});

afterAll(async () => {
  await new Promise((closed) => server.close(closed));
});

/** What Node's own client makes of an answer. */
async function askWithNode(text: string): Promise<{ status: number | null; kept: boolean }> {
  answer = text;
  const agent = new Agent({ keepAlive: true });
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      const late = setTimeout(() => resolve({ status: null, kept: false }), PATIENCE_MS);
      const say = (said: { status: number | null; kept: boolean }) => {
        clearTimeout(late);
        resolve(said);
      };
      get({ port, host: '127.0.0.1', agent }, (response) => {
        const status = response.statusCode ?? null;
        response.on('error', () => say({ status, kept: false })).resume();
        // A connection is free a turn after its answer ended, or not at all.
        response.once('close', () =>
          setImmediate(() => say({ status, kept: Object.keys(agent.freeSockets).length > 0 })),
        );
      }).on('error', () => say({ status: null, kept: false }));
    });
  } finally {
    agent.destroy();
  }
}

function readByUs(text: string): { status: number | null; kept: boolean } {
  const reader = new ResponseParser();
  const isWhole = reader.read(Buffer.from(text, 'latin1')) === 'whole';
  return { status: reader.httpStatus, kept: isWhole && reader.keepMs > 0 };
}

const heads = fc.record({
  interim: fc.constantFrom('', '', 'HTTP/1.1 103 Early\r\nLink: <a>\r\n\r\n'),
  line: fc.constantFrom(
    'HTTP/1.1 200 OK',
    'HTTP/1.1 204 None',
    'HTTP/1.1 304 \t',
    'HTTP/1.1 500 No',
    'HTTP/1.0 200 OK',
  ),
  fields: fc.array(
    fc.constantFrom(
      'Content-Length: 3',
      'Content-Length: 3',
      'Content-Length: 03',
      'Content-Length: 3, 3',
      'Content-Length : 3',
      'Content-Length: -3',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: chunked, gzip',
      'transfer-encoding:\tchunked\t',
      'Connection: close',
      'Connection: keep-alive',
      'Keep-Alive: timeout=30',
      'X: y',
      ' folded',
      'X',
    ),
    { maxLength: 3 },
  ),
  body: fc.constantFrom(
    '',
    'abc',
    'abcd',
    '3\r\nabc\r\n0\r\n\r\n',
    '3;x\r\nabc\r\n0\r\nA: b\r\n\r\n',
    '3 \r\nabc\r\n0\r\n\r\n',
    '4\r\nabc\r\n0\r\n\r\n',
    '0\r\n\r\n',
    '0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 204 \r\n\r\n',
  ),
});

it('keeps a connection only where Node would, after the same status (RFC 9112 §9.3)', async () => {
  await fc.assert(
    fc.asyncProperty(heads, async ({ interim, line, fields, body }) => {
      const text = `${interim}${line}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n${body}`;
      const ours = readByUs(text);
      fc.pre(ours.kept);
      const { kept, status } = ours;
      expect({ text, kept, status }).toEqual({ text, ...(await askWithNode(text)) });
    }),
    { numRuns: ANSWERS },
  );
});
