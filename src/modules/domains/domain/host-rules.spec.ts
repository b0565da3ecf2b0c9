import { describe, expect, it } from '@jest/globals';
import { DOMAIN_STATES } from './custom-domain.js';
import {
  checkHostname,
  hostnameIn,
  isLiteralHost,
  isOriginOfProject,
  isServed,
  isWithinProject,
  mayGetCertificate,
} from './host-rules.js';

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

it('knows addresses and names without a dot', () => {
  const hosts = ['localhost', 'consent', '127.0.0.1', '[2001:db8::1]', 'shop.example', '1.2.3.4.example'];
  expect(hosts.map(isLiteralHost)).toEqual([true, true, true, true, false, false]);
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
    expect(isOriginOfProject(origin, ['other.example', 'shop.example'])).toBe(expected);
  });
});

const RULES = {
  projectDomains: ['www.shop.example', 'shop.co.uk', 'me.github.io'],
  ownHosts: ['consent.example.com', 'edge.example.com'],
};
const check = (text: string, projectDomains = RULES.projectDomains): unknown => {
  const checked = checkHostname(text, { ...RULES, projectDomains });
  return checked.kind === 'accepted' ? checked.hostname : checked.reason;
};

describe('a hostname', () => {
  it.each([
    ['consent.shop.example', 'consent.shop.example'],
    ['  Consent.SHOP.example. ', 'consent.shop.example'],
    ['shop.example', 'shop.example'],
    ['a.b.shop.co.uk', 'a.b.shop.co.uk'],
    ['consent.me.github.io', 'consent.me.github.io'],
    ['a.b.c.d.e.shop.example', 'a.b.c.d.e.shop.example'],
    ['a.b.c.d.e.shop.co.uk', 'a.b.c.d.e.shop.co.uk'],
  ])('%j is accepted', (text, hostname) => {
    expect(check(text)).toBe(hostname);
  });

  it.each([
    ['', 'not_a_hostname'],
    ['https://consent.shop.example', 'not_a_hostname'],
    ['consent.shop.example:443', 'not_a_hostname'],
    ['*.shop.example', 'not_a_hostname'],
    ['192.0.2.1', 'not_a_hostname'],
    ['0x7f.1', 'not_a_hostname'],
    ['2130706433', 'not_a_hostname'],
    ['[::1]', 'not_a_hostname'],
    ['localhost', 'not_a_hostname'],
    ['a_b.shop.example', 'not_a_hostname'],
    ['co.uk', 'public_suffix'],
    ['github.io', 'public_suffix'],
    ['a.b.c.d.e.f.shop.example', 'too_many_labels'],
    ['a.b.c.d.e.f.shop.co.uk', 'too_many_labels'],
    ['consent.example.com', 'own_host'],
    ['x.edge.example.com', 'own_host'],
    ['shop.webflow.io', 'preview_host'],
    ['consent.other.example', 'outside_project'],
    ['other.co.uk', 'outside_project'],
    ['you.github.io', 'outside_project'],
    ['evilshop.example', 'outside_project'],
  ])('%j is refused: %s', (text, reason) => {
    expect(check(text)).toBe(reason);
  });

  it('needs a domain of the project', () => {
    expect(check('consent.shop.example', [])).toBe('outside_project');
    expect(isWithinProject('consent.shop.example', ['other.example'])).toBe(false);
  });
});
