import { describe, expect, it } from '@jest/globals';
import { isPublicRoute, parseProxyUrl } from './public-route.js';

const ID = '0192f0c4-0000-7000-8000-000000000001';
const OTHER = '0192f0c4-0000-7000-8000-000000000002';

describe('isPublicRoute', () => {
  it.each([
    ['GET', `/cdn/${ID}/loader.js`],
    ['HEAD', `/cdn/${ID}/config.json`],
    ['OPTIONS', `/cdn/${ID}/config.json`],
    ['GET', `/cdn/${ID.toUpperCase()}/blocker.js`],
    ['GET', `/cdn/${ID}/declaration.js`],
    ['GET', `/cdn/${ID}/declaration.html`],
    ['GET', `/cdn/${ID}/banner-0123456789abcdef.js`],
    ['GET', `/cdn/${ID}/signals-0123456789abcdef.js`],
    ['GET', `/cdn/${ID}/logo-0123456789abcdef.png`],
    ['GET', `/cdn/${ID}/text-${'0'.repeat(64)}-pt-BR.json`],
    ['GET', `/cdn/${ID}/details-${'0'.repeat(64)}-de.json`],
    ['POST', `/v1/projects/${ID}/consents`],
    ['OPTIONS', `/v1/projects/${ID}/consents`],
    ['POST', `/v1/projects/${ID}/visits`],
    ['POST', '/v1/visitor/records'],
    ['POST', '/v1/visitor/receipts'],
    ['POST', '/v1/visitor/withdrawals'],
    ['POST', '/v1/visitor/erasures'],
  ])('%s %s passes', (method, path) => {
    expect(isPublicRoute(ID, { method, path })).toBe(true);
  });

  it.each([
    ['GET', '/'],
    ['GET', '/docs'],
    ['GET', '/metrics'],
    ['GET', '/health/ready'],
    ['POST', '/v1/auth/sign-in/email'],
    ['GET', `/v1/projects/${ID}`],
    ['GET', `/v1/projects/${ID}/consents`],
    ['DELETE', `/v1/projects/${ID}/consents`],
    ['POST', `/v1/projects/${ID}/consents/export`],
    ['POST', `/cdn/${ID}/loader.js`],
    ['GET', `/cdn/${ID}/other.js`],
    ['GET', `/cdn/${ID}/../${OTHER}/config.json`],
    ['GET', `/cdn/${OTHER}/config.json`],
    ['POST', `/v1/projects/${OTHER}/consents`],
    ['POST', '/v1/visitor/other'],
    ['GET', '/v1/visitor/records'],
    [undefined, '/'],
  ])('%s %s is refused', (method, path) => {
    expect(isPublicRoute(ID, { method, path })).toBe(false);
  });
});

describe('parseProxyUrl', () => {
  it.each([
    [`/first-party/${ID}/cdn/x`, '/cdn/x', ''],
    [`/first-party/${ID.toUpperCase()}/v1/visitor/records?x=1`, '/v1/visitor/records', '?x=1'],
    [`http://consent.example.com/first-party/${ID}/`, '/', ''],
  ])('%s', (url, path, query) => {
    expect(parseProxyUrl(url)).toEqual({ projectId: ID, path, query });
  });

  it.each(['/', `/first-party/${ID}`, '/first-party/abc/cdn/x', `/x/first-party/${ID}/cdn/x`])(
    '%s is another request',
    (url) => {
      expect(parseProxyUrl(url)).toBeNull();
    },
  );
});
