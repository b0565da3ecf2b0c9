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
});
