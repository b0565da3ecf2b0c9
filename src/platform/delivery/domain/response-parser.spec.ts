import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  RESPONSE_BODY_BYTES_MAX,
  RESPONSE_HEAD_BYTES_MAX,
  ResponseParser,
  KEEP_MS,
  KEEP_MS_MAX,
  type Reading,
} from './response-parser.js';

/** Parses the pieces; returns the state after the last piece that was read. */
function read(...pieces: string[]) {
  const reader = new ResponseParser();
  let reading: Reading = 'open';
  for (const piece of pieces) {
    if (reading !== 'open') break;
    reading = reader.read(Buffer.from(piece, 'latin1'));
  }
  return { reading, status: reader.httpStatus, keepMs: reader.keepMs, retryAfter: reader.retryAfter };
}

const ok = (fields: string[], body = ''): string =>
  `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n${body}`;

describe(ResponseParser.name, () => {
  it.each<[string, string, number]>([
    ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
    ['no reason', 'HTTP/1.1 204 \r\n\r\n', 204],
    ['not even a blank behind the status', 'HTTP/1.1 204\r\n\r\n', 204],
    ['an empty body', ok(['Content-Length: 0']), 200],
    ['a body', ok(['Content-Type: text/plain', 'content-length:5'], 'hello'), 200],
    ['a refusal', 'HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno', 503],
    ['no body, whatever its length says', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', 204],
    ['chunks', ok(['Transfer-Encoding: Chunked'], '5\r\nhello\r\n00A;x=y\r\n0123456789\r\n0\r\n\r\n'), 200],
    ['trailers', ok(['Transfer-Encoding: chunked'], '1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n'), 200],
    [
      'interim answers',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 \r\nLink: <a>\r\n\r\n${ok(['Content-Length: 0'])}`,
      200,
    ],
    ['a status that is none', 'HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n', 999],
  ])('reads %s, and keeps the connection', (_, text, status) => {
    expect(read(text)).toMatchObject({ reading: 'whole', status, keepMs: KEEP_MS });
    // Every proper prefix is incomplete.
    expect(read(text.slice(0, -1)).reading).toBe('open');
  });

  it.each<[string, string]>([
    ['its receiver closes it', ok(['Connection: x, Close', 'Content-Length: 0'])],
    ['it is of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['something stands behind the answer', `${ok(['Content-Length: 2'], 'ok')}HTTP/1.1 408 \r\n\r\n`],
    ['something stands behind the chunks', ok(['Transfer-Encoding: chunked'], '0\r\n\r\n0\r\n\r\n')],
    ['its receiver keeps it for too short a time', ok(['Keep-Alive: timeout=2', 'Content-Length: 0'])],
  ])('does not keep a connection where %s', (_, text) => {
    expect(read(text)).toMatchObject({ reading: 'whole', status: 200, keepMs: 0 });
  });

  it('keeps a connection of HTTP/1.0 whose receiver says so', () => {
    const text = 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n';
    expect(read(text)).toMatchObject({ reading: 'whole', keepMs: KEEP_MS });
  });

  it.each([
    ['timeout=5', 3_000],
    ['timeout=3, max=100', 1_000],
    ['max=100, timeout=20', 18_000],
    ['timeout=61', 59_000],
    ['timeout=62', KEEP_MS_MAX],
    ['timeout=999999', KEEP_MS_MAX],
    ['max=3', KEEP_MS],
  ])('keeps a connection for less time than its receiver does: %s', (value, keepMs) => {
    expect(read(ok([`Keep-Alive: ${value}`, 'Content-Length: 0']))).toMatchObject({
      reading: 'whole',
      keepMs,
    });
  });

  it.each<[string, string]>([
    ['two lengths', ok(['Content-Length: 2', 'Content-Length: 2'], 'ok')],
    ['a list of lengths', ok(['Content-Length: 2, 2'], 'ok')],
    ['a length with a sign', ok(['Content-Length: +2'], 'ok')],
    ['a length with a blank before the colon', ok(['Content-Length : 2'], 'ok')],
    ['a length and chunks', ok(['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
    ['chunks twice', ok(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
    ['another encoding', ok(['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n')],
    ['a folded field', ok(['X: a', ' Content-Length: 2'], 'ok')],
    ['a bare carriage return', ok(['X: a\rContent-Length: 2'], 'ok')],
    ['a NUL', ok(['X: a\0', 'Content-Length: 2'], 'ok')],
    ['a line that is no field', ok(['no field', 'Content-Length: 2'], 'ok')],
    ['a chunk of no size', ok(['Transfer-Encoding: chunked'], 'x\r\n')],
    ['a chunk of a negative size', ok(['Transfer-Encoding: chunked'], '-1\r\n')],
    ['a chunk that is longer than its size', ok(['Transfer-Encoding: chunked'], '1\r\nxx\r\n0\r\n\r\n')],
  ])('lets the status stand and nothing else: %s', (_, text) => {
    expect(read(text)).toMatchObject({ reading: 'cut', status: 200 });
  });

  it('has the end of the connection end a body of which nothing else does', () => {
    expect(read(ok([], 'some of it'))).toMatchObject({ reading: 'open', status: 200 });
    expect(read(ok(['Connection: close'], ''))).toMatchObject({ reading: 'open', status: 200 });
  });

  it.each<[string, string]>([
    ['bytes', '\u0000\u0001'],
    ['one wrong letter', 'HTTQ'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['the answer of a mail server', '220 mail.example.com ESMTP\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status that begins with 0', 'HTTP/1.1 099 \r\n\r\n'],
    ['line feeds alone behind the status', 'HTTP/1.1 200\nX: y\r\n\r\n'],
    ['line feeds alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['a line feed alone within a field', ok(['X: a\nContent-Length: 2'], 'ok')],
    ['a first line that is no status line, at once', 'HTTP/1.1 OK\r\n'],
    ['an empty line first', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['something behind an interim answer', 'HTTP/1.1 100 Continue\r\n\r\nnothing'],
  ])('takes for no HTTP: %s', (_, text) => {
    expect(read(text)).toMatchObject({ reading: 'invalid', status: null });
  });

  it('reads a head up to its bound, and no longer one', () => {
    const head = (bytes: number): string => {
      const begin = 'HTTP/1.1 204 \r\nX: ';
      return `${begin}${'x'.repeat(bytes - begin.length)}\r\n\r\n`;
    };
    expect(read(head(RESPONSE_HEAD_BYTES_MAX)).reading).toBe('whole');
    expect(read(head(RESPONSE_HEAD_BYTES_MAX + 1)).reading).toBe('invalid');
    expect(read(head(RESPONSE_HEAD_BYTES_MAX + 100).slice(0, RESPONSE_HEAD_BYTES_MAX)).reading).toBe('open');
    expect(read(head(RESPONSE_HEAD_BYTES_MAX + 100).slice(0, RESPONSE_HEAD_BYTES_MAX + 1)).reading).toBe(
      'invalid',
    );
  });

  it.each<[string, (bytes: number) => string]>([
    ['of a length', (bytes) => ok([`Content-Length: ${bytes}`], 'x'.repeat(bytes))],
    [
      'in chunks',
      (bytes) => {
        const around = '0000\r\n\r\n0\r\n\r\n'.length;
        const size = (bytes - around).toString(16).padStart(4, '0');
        return ok(['Transfer-Encoding: chunked'], `${size}\r\n${'x'.repeat(bytes - around)}\r\n0\r\n\r\n`);
      },
    ],
  ])('reads a body %s up to the bound, and cuts a longer one', (_, answer) => {
    expect(read(answer(RESPONSE_BODY_BYTES_MAX))).toMatchObject({ reading: 'whole', keepMs: KEEP_MS });
    expect(read(answer(RESPONSE_BODY_BYTES_MAX + 1))).toMatchObject({ reading: 'cut', status: 200 });
  });

  it('cuts a body without an end', () => {
    expect(read(ok([], 'x'.repeat(RESPONSE_BODY_BYTES_MAX))).reading).toBe('open');
    expect(read(ok([], 'x'.repeat(RESPONSE_BODY_BYTES_MAX + 1))).reading).toBe('cut');
  });

  it('tells the header with which a receiver asks for a pause', () => {
    expect(read(ok(['Retry-After:  120 ', 'Content-Length: 0'])).retryAfter).toBe('120');
    expect(read(ok(['Content-Length: 0'])).retryAfter).toBeUndefined();
  });

  /** Fragments of responses, in any order. */
  const shreds = fc.array(
    fc.oneof(
      fc.constantFrom(
        'HTTP/1.1 ',
        'HTTP/1.0 200 OK\r\n',
        'HTTP/1.1 100 \r\n\r\n',
        'HTTP/1.1 204 \r\n',
        'HTTP/1.1 500 No\r\n',
        'Content-Length: 3\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Connection: close\r\n',
        'Keep-Alive: timeout=9\r\n',
        '\r\n',
        '\r\n\r\n',
        '3\r\nabc\r\n',
        '0\r\n\r\n',
        'A: b\n',
        ' ',
      ),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 12 },
  );

  it('says the same however the bytes are cut into pieces', () => {
    fc.assert(
      fc.property(shreds, fc.array(fc.nat(200), { maxLength: 8 }), (parts, cuts) => {
        const text = parts.join('');
        const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        const whole = read(text);
        const inPieces = read(...pieces);
        expect(inPieces.status).toBe(whole.status);
        expect(inPieces.reading).toBe(whole.reading);
        // Bytes after the response in a separate piece are not seen here: the connection closes
        // because of them.
        if (whole.keepMs > 0) expect(inPieces.keepMs).toBe(whole.keepMs);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, string, string]>([
    ['a length', 'Content-Length: 5\r\n\r\nhello', 'hello'],
    ['a length, so far', 'Content-Length: 9\r\n\r\nhel', 'hel'],
    ['a length, without extra bytes', 'Content-Length: 2\r\n\r\nhello', 'he'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n', 'hello'],
    ['chunks, so far', 'Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nl', 'hell'],
    ['chunks without data', 'Transfer-Encoding: chunked\r\n\r\n', ''],
    ['chunks that are none', 'Transfer-Encoding: chunked\r\n\r\n3\r\nhel!!x\r\n', 'hel'],
    ['the close of the connection', '\r\nhello', 'hello'],
    ['nothing valid', 'Content-Length: x\r\n\r\nhello', 'hello'],
  ])('has the body that ends by %s', (_, rest, body) => {
    const reader = new ResponseParser();
    reader.read(Buffer.from(`HTTP/1.1 500 Error\r\n${rest}`));
    expect(reader.receivedBody()).toBe(body);
  });

  it('has the received body up to its limit, and none before the final status', () => {
    const reader = new ResponseParser();
    expect(reader.receivedBody()).toBe('');
    reader.read(Buffer.from('HTTP/1.1 103 Early\r\n\r\n'));
    expect(reader.receivedBody()).toBe('');
    reader.read(Buffer.from(`HTTP/1.1 500 Error\r\n\r\n${'x'.repeat(RESPONSE_BODY_BYTES_MAX + 1)}`));
    expect(reader.receivedBody()).toBe('x'.repeat(RESPONSE_BODY_BYTES_MAX));
  });
});
