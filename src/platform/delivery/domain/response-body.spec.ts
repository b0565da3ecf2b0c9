import { describe, expect, it } from '@jest/globals';
import { RESPONSE_BODY_STORED_BYTES, storedResponseBody } from './response-body.js';

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
const TOKEN = 'a/token+of-the-owner_'.padEnd(43, 'x');

describe('storedResponseBody', () => {
  it('keeps text as it is', () => {
    expect(storedResponseBody(latin1('{"error":"Größe"}\n'), [])).toBe('{"error":"Größe"}\n');
    expect(storedResponseBody('', [])).toBe('');
  });

  it('replaces invalid UTF-8 and removes NUL', () => {
    expect(storedResponseBody('a\u00ffb\u0000c\u00c3(', [])).toBe('a\ufffdbc\ufffd(');
  });

  it('ends at the limit, before a character that the limit cuts', () => {
    const fits = 'x'.repeat(RESPONSE_BODY_STORED_BYTES);
    expect(storedResponseBody(fits, [])).toBe(fits);
    expect(storedResponseBody(`${fits}y`, [])).toBe(fits);
    const cut = 'x'.repeat(RESPONSE_BODY_STORED_BYTES - 1);
    expect(storedResponseBody(latin1(`${cut}ü`), [])).toBe(cut);
  });

  it('masks secrets, also with escaped slashes, at the limit, and cut by the end of the body', () => {
    const stored = (body: string): string => storedResponseBody(body, [TOKEN]);
    expect(stored(`Wrong token ${TOKEN}!`)).toBe('Wrong token ********!');
    expect(stored(JSON.stringify({ token: TOKEN }).replaceAll('/', String.raw`\/`))).toBe(
      '{"token":"********"}',
    );
    expect(stored(`Wrong token ${TOKEN.slice(0, 42)}`)).toBe('Wrong token ********');
    expect(stored(`Wrong token ${TOKEN.slice(0, 8)}`)).toBe('Wrong token ********');
    expect(stored(`Wrong token ${TOKEN.slice(0, 7)}`)).toBe(`Wrong token ${TOKEN.slice(0, 7)}`);
    const atLimit = stored('x'.repeat(RESPONSE_BODY_STORED_BYTES - 20) + TOKEN + TOKEN);
    expect(atLimit).toBe(`${'x'.repeat(RESPONSE_BODY_STORED_BYTES - 20)}${'*'.repeat(16)}`);
  });

  it('masks secrets in the encodings in which receivers repeat them', () => {
    const key = Buffer.from('0123456789abcdef+/=?~\u00ff0123456789', 'latin1').subarray(0, 32);
    const signing = `whsec_${key.toString('base64')}`;
    for (const secret of [TOKEN, signing]) {
      const stored = (body: string): string => storedResponseBody(body, [secret]);
      const base64 = Buffer.from(secret).toString('base64');
      for (const form of [
        base64,
        base64.replace(/=+$/, ''),
        encodeURIComponent(base64),
        Buffer.from(secret).toString('base64url'),
        Buffer.from(secret).toString('hex'),
        encodeURIComponent(secret),
        encodeURIComponent(secret).replaceAll(/%../g, (byte) => byte.toLowerCase()),
      ])
        expect(stored(`<${form}>`)).toMatch(/^<\*{8}[A-Za-z0-9+/_%=-]{0,7}>$/);
      for (const before of ['a:', 'Bearer ', 'abc'])
        expect(stored(Buffer.from(before + secret + '!').toString('base64')).length).toBeLessThan(30);
    }
    const stored = (body: string): string => storedResponseBody(body, [signing]);
    for (const form of [key.toString('base64'), key.toString('base64url'), key.toString('hex')])
      expect(stored(`<${form}>`)).toMatch(/^<\*{8}.{0,2}>$/);
  });
});
