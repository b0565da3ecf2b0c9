import { describe, expect, it } from '@jest/globals';
import { resolveBaseUrl } from './base-url.js';

describe(resolveBaseUrl.name, () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['consent.internal', 'http://consent.internal:3000'],
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::', 'http://127.0.0.1:3000'],
    ['::1', 'http://[::1]:3000'],
  ])('of the host %s, without a public one, is %s', (host, expected) => {
    const baseUrl = resolveBaseUrl({ publicBaseUrl: '', host, port: 3000 });
    expect(baseUrl).toBe(expected);
    expect(new URL(baseUrl).origin).toBe(expected);
  });

  it('is the public one where there is one, whatever the host', () => {
    const publicBaseUrl = 'https://consent.example.com';
    expect(resolveBaseUrl({ publicBaseUrl, host: '0.0.0.0', port: 3000 })).toBe(publicBaseUrl);
  });
});
