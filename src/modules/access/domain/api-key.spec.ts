import { describe, expect, it } from '@jest/globals';
import { findSecret, hashOfKey, areaOfRoute, isWithinAreas, KEY_AREAS } from './api-key.js';

const NOW = new Date('2026-11-23T09:00:00Z');
const at = (ms: number): Date => new Date(NOW.getTime() + ms);
const ROTATED = {
  keyHash: hashOfKey('ck_new'),
  createdBy: 'founder',
  expiresAt: null,
  formerKeyHash: hashOfKey('ck_old'),
  formerCreatedBy: 'second',
  formerValidUntil: at(1),
};

describe('findSecret', () => {
  it('gives each secret to the member who made it', () => {
    expect(findSecret(ROTATED, hashOfKey('ck_new'), NOW)).toEqual({ madeBy: 'founder', endsAt: null });
    expect(findSecret(ROTATED, hashOfKey('ck_old'), NOW)).toEqual({ madeBy: 'second', endsAt: at(1) });
    expect(findSecret(ROTATED, hashOfKey('ck_other'), NOW)).toBeNull();
  });

  it('ends the former secret at its instant, and both with the key', () => {
    const old = hashOfKey('ck_old');
    expect(findSecret({ ...ROTATED, formerValidUntil: NOW }, old, NOW)).toBeNull();
    expect(findSecret({ ...ROTATED, formerValidUntil: at(9), expiresAt: at(5) }, old, NOW)).toEqual({
      madeBy: 'second',
      endsAt: at(5),
    });
    expect(findSecret({ ...ROTATED, expiresAt: at(9) }, old, NOW)).toEqual({
      madeBy: 'second',
      endsAt: at(1),
    });
    for (const key of ['ck_new', 'ck_old'])
      expect(findSecret({ ...ROTATED, expiresAt: NOW }, hashOfKey(key), NOW)).toBeNull();
  });

  it('knows no former secret of a key that was never rotated', () => {
    expect(findSecret({ keyHash: hashOfKey('ck_new') }, hashOfKey('ck_old'), NOW)).toBeNull();
    expect(findSecret({ keyHash: hashOfKey('ck_new') }, hashOfKey('ck_new'), NOW)).toEqual({
      madeBy: null,
      endsAt: null,
    });
  });
});

const AT = '/v1/projects/:projectId';

describe(areaOfRoute.name, () => {
  it.each([
    [`${AT}/consents`, 'consents'],
    [`${AT}/consents/:consentId`, 'consents'],
    [`${AT}/analytics/consents`, 'consents'],
    [`${AT}/forwarding/token`, 'forwarding'],
    [`${AT}/publications/:version/rollback`, 'publishing'],
    [`${AT}/billing/checkout`, 'billing'],
    [`${AT}/erasures/:erasureId`, 'consents'],
    [`${AT}/privacy`, 'consents'],
    [`${AT}/visitor-records`, 'consents'],
    [`${AT}/configuration/preview`, 'publishing'],
    [`${AT}/publish`, 'publishing'],
    [`${AT}/tier`, 'billing'],
    [`${AT}/subscription`, 'billing'],
    [AT, null],
    [`${AT}/members`, null],
    [`${AT}/api-keys/:apiKeyId`, null],
    [`${AT}/audit`, null],
    [`${AT}/forwardings`, null],
    ['/v1/projects', null],
    ['/v1/me/forwarding', null],
  ])('of %s is %s', (route, area) => {
    expect(areaOfRoute(route)).toBe(area);
  });
});

describe(isWithinAreas.name, () => {
  const get = (route: string) => ({ method: 'GET', route });
  const put = (route: string) => ({ method: 'PUT', route });

  it('lets a key without a limit everywhere, and one limited to nothing nowhere', () => {
    for (const asked of [get(AT), put(`${AT}/forwarding`), put(`${AT}/members`)]) {
      expect(isWithinAreas(null, asked)).toBe(true);
      expect(isWithinAreas([], asked)).toBe(false);
    }
  });

  it('lets every key read about itself', () => {
    expect(isWithinAreas([], get('/v1/me'))).toBe(true);
  });

  it('lets one that reads read everything and change nothing', () => {
    expect(isWithinAreas(['read'], get(`${AT}/audit`))).toBe(true);
    expect(isWithinAreas(['read'], { method: 'HEAD', route: AT })).toBe(true);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(isWithinAreas(['read'], { method, route: `${AT}/forwarding` })).toBe(false);
  });

  it('lets one of an area read and change there, and nowhere else', () => {
    expect(isWithinAreas(['forwarding'], put(`${AT}/forwarding`))).toBe(true);
    expect(isWithinAreas(['forwarding'], get(`${AT}/forwarding/deliveries`))).toBe(true);
    expect(isWithinAreas(['forwarding'], get(`${AT}/consents`))).toBe(false);
    expect(isWithinAreas(['forwarding', 'read'], get(`${AT}/consents`))).toBe(true);
    expect(isWithinAreas([...KEY_AREAS], put(`${AT}/members`))).toBe(false);
  });
});
