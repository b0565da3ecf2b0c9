import { describe, expect, it } from '@jest/globals';
import { isOwnRequest, type RequestOrigin } from './request-origin.js';

const OWN = 'https://app.example.com';

const post = (fields: Partial<RequestOrigin> = {}): RequestOrigin => ({
  method: 'POST',
  host: 'app.example.com',
  origin: undefined,
  secFetchSite: undefined,
  ...fields,
});

describe('isOwnRequest', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('lets a %s come from anywhere', (method) => {
    expect(isOwnRequest(post({ method, origin: 'https://evil.com', secFetchSite: 'cross-site' }), OWN)).toBe(
      true,
    );
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])('refuses a %s of another origin', (method) => {
    expect(isOwnRequest(post({ method, origin: 'https://evil.com' }), OWN)).toBe(false);
  });

  it.each([
    [OWN, true],
    [undefined, true],
    ['https://app.example.com:8443', false],
    ['http://app.example.com', false],
    ['https://other.example.com', false],
    ['https://app.example.com.evil.com', false],
    ['null', false],
    ['', false],
  ])('judges the Origin %p as %p', (origin, own) => {
    expect(isOwnRequest(post({ origin }), OWN)).toBe(own);
  });

  it.each([
    ['same-origin', true],
    ['none', true],
    ['same-site', false],
    ['cross-site', false],
    ['', false],
  ])('judges Sec-Fetch-Site %p as %p', (secFetchSite, own) => {
    expect(isOwnRequest(post({ origin: OWN, secFetchSite }), OWN)).toBe(own);
  });

  it.each([
    ['http://127.0.0.1:4000', true],
    ['http://127.0.0.1:4001', false],
    ['http://localhost:4000', false],
    ['null', false],
    ['not a url', false],
  ])('compares the Origin %p with the host where the own origin is not configured: %p', (origin, own) => {
    expect(isOwnRequest(post({ host: '127.0.0.1:4000', origin }), '')).toBe(own);
    expect(isOwnRequest(post({ host: undefined, origin }), '')).toBe(false);
  });
});
