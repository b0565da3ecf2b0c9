import { describe, expect, it } from '@jest/globals';
import { isLoaderOf, isRecordRequest, RequestRate } from './guarded-proxy.js';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const url = (path: string): URL => new URL(path, 'https://consent.example.com');

it.each([
  [`/v1/projects/${ID}/consents`, 'POST', true],
  [`/v1/projects/${ID}/visits`, 'POST', true],
  [`/v1/projects/${ID}/visits/`, 'OPTIONS', true],
  [`/v1/projects/${ID}/visits?x=1`, 'POST', true],
  [`/v1/projects/${ID}/consents`, 'GET', false],
  [`/v1/projects/${ID}/consents/export`, 'POST', false],
  [`/v1/projects/shop/visits`, 'POST', false],
  [`/shop/v1/projects/${ID}/visits`, 'POST', false],
  [`/cdn/${ID}/loader.js`, 'GET', false],
])('%s by %s is a record: %s', (path, method, expected) => {
  expect(isRecordRequest(url(path), method)).toBe(expected);
});

it('knows the loader of a project by its path', () => {
  expect(isLoaderOf(ID, `https://cdn.example.com/cdn/${ID}/loader.js?v=1`)).toBe(true);
  expect(isLoaderOf(ID, `https://shop.example/consent/cdn/${ID}/loader.js`)).toBe(true);
  expect(isLoaderOf(ID, `https://cdn.example.com/cdn/${ID.replace('0', '1')}/loader.js`)).toBe(false);
  expect(isLoaderOf(ID, `https://cdn.example.com/cdn/${ID}/banner.js`)).toBe(false);
  expect(isLoaderOf(ID, 'nonsense')).toBe(false);
});

/** No token comes back during a test. */
const perSecond = 1e-6;
const TLS_APPLICATION_DATA = 23;
const never = new AbortController().signal;

function record(bytes: number): Buffer {
  const content = Buffer.alloc(5 + bytes);
  content[0] = TLS_APPLICATION_DATA;
  content.writeUInt16BE(bytes, 3);
  return content;
}

/** Whether the chunks leave no debt in a bucket of that many tokens. */
function fits(burst: number, chunks: readonly Buffer[]): boolean {
  const rate = new RequestRate({ burst, perSecond });
  const gate = rate.gate(never);
  for (const chunk of chunks) gate.write(chunk);
  gate.resume();
  return rate.take(0, never) === undefined;
}

describe('a bucket of requests', () => {
  it('holds requests back beyond it, until it is filled for the next pages', async () => {
    const rate = new RequestRate({ burst: 2, perSecond });
    const aborted = new AbortController();
    expect(rate.take(2, never)).toBeUndefined();
    const waiting = rate.take(1, aborted.signal);
    expect(waiting).toBeInstanceOf(Promise);
    aborted.abort();
    await expect(waiting).rejects.toThrow('aborted');
    rate.refill(2);
    expect(rate.take(4, never)).toBeUndefined();
  });

  it.each([
    ['records in one chunk', [Buffer.concat([record(10), record(0), record(300)])], 3],
    ['a record in parts', [record(300).subarray(0, 3), record(300).subarray(3)], 1],
    ['a header in parts', [...record(2)].map((byte) => Buffer.of(byte)), 1],
    ['chunks without TLS', [Buffer.from('GET / HTTP/1.1'), Buffer.from('GET / HTTP/1.1')], 2],
  ])('counts %s', (_, chunks, tokens) => {
    expect(fits(tokens, chunks)).toBe(true);
    expect(fits(tokens - 1, chunks)).toBe(false);
  });
});
