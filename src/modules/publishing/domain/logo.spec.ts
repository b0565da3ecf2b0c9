import { describe, expect, it } from '@jest/globals';
import { LOGO_NAME, logoFile } from './logo.js';
import { LOGO_BYTES_MAX } from './publishing.limits.js';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const png = (bytes: number): Buffer => Buffer.concat([SIGNATURE, Buffer.alloc(bytes - SIGNATURE.length)]);
const url = (body: Buffer, type = 'image/png'): string => `data:${type};base64,${body.toString('base64')}`;

describe('logoFile', () => {
  it('names a PNG by its content', () => {
    const file = logoFile(url(png(100)));
    expect(file?.body).toEqual(png(100));
    expect(file?.name).toMatch(LOGO_NAME);
    expect(logoFile(url(png(101)))?.name).not.toBe(file?.name);
  });

  it('takes one of the largest size, and none that is larger', () => {
    expect(logoFile(url(png(LOGO_BYTES_MAX)))).not.toBeNull();
    expect(logoFile(url(png(LOGO_BYTES_MAX + 1)))).toBeNull();
  });

  it.each([
    ['another type', url(png(20), 'image/svg+xml')],
    ['another content', url(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))],
    ['no base64', 'data:image/png;base64,<script>'],
    ['an address', 'https://example.com/logo.png'],
    ['nothing', ''],
  ])('refuses %s', (_what, given) => {
    expect(logoFile(given)).toBeNull();
  });
});
