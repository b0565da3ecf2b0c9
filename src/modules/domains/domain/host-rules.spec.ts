import { describe, expect, it } from '@jest/globals';
import { DOMAIN_STATES } from './custom-domain.js';
import { hostnameIn, isOriginOfProject, isServed, mayGetCertificate } from './host-rules.js';

const NOW = new Date('2026-12-01T12:00:00Z');
const DAY = 24 * 60 * 60 * 1000;

it('serves verified, active and failing hosts', () => {
  expect(DOMAIN_STATES.filter((state) => isServed({ state }))).toEqual(['verified', 'active', 'failing']);
});

it.each([
  ['active', DAY - 1, true],
  ['active', DAY, false],
  ['failing', DAY - 1, true],
  ['verified', 0, true],
  ['suspended', 0, false],
  ['pending', 0, false],
] as const)('a %s host, checked %d ms ago, may get a certificate: %s', (state, ageMs, allowed) => {
  expect(mayGetCertificate({ state, goodAt: new Date(NOW.getTime() - ageMs) }, NOW)).toBe(allowed);
  expect(mayGetCertificate({ state, goodAt: null }, NOW)).toBe(false);
});

it('reads the host of a header', () => {
  expect(
    ['Consent.Shop.example:443', 'a.example.', 'a.example.:8080', '[::1]:80', undefined].map(hostnameIn),
  ).toEqual(['consent.shop.example', 'a.example', 'a.example', '[::1]', '']);
});

describe('an origin', () => {
  it.each([
    ['https://shop.example', true],
    ['https://www.shop.example:8443', true],
    ['https://evilshop.example', false],
    ['https://shop.example.evil.example', false],
    ['null', false],
    ['', false],
  ])('%j is of the project: %s', (origin, expected) => {
    expect(isOriginOfProject(origin, ['shop.example'])).toBe(expected);
  });
});
