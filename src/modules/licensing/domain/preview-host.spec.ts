import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import { PREVIEW_HOST_SUFFIXES } from './preview-host-suffixes.js';
import { isPreviewHost, normalizeHostname, previewHostPattern } from './preview-host.js';

describe('preview hosts (spec §3.2 row 1)', () => {
  it.each(PREVIEW_HOST_SUFFIXES.map((host) => host.suffix))(
    'takes a host below %s, and not %s itself',
    (suffix) => {
      expect(isPreviewHost(`shop.${suffix}`, [])).toBe(true);
      expect(isPreviewHost(`a.b.${suffix}`, [])).toBe(true);
      expect(isPreviewHost(suffix, [])).toBe(false);
      expect(isPreviewHost(`evil${suffix}`, [])).toBe(false);
      expect(isPreviewHost(`shop.${suffix}.evil.com`, [])).toBe(false);
    },
  );

  it('is the same rule as a regular expression, for a browser', () => {
    const own = ['shop.carrd.co', 'a.myshopify.com'];
    const [pattern, ofNobody] = [new RegExp(previewHostPattern(own)), new RegExp(previewHostPattern([]))];
    const hosts = PREVIEW_HOST_SUFFIXES.flatMap(({ suffix }) =>
      ['x.', 'a.b.', 'evil', ''].map((before) => `${before}${suffix}`),
    ).concat(own, ['www.shop.carrd.co', 'evilshop.carrd.co', 'b.myshopify.com', 'carrd.co', 'example.com']);
    for (const host of hosts.flatMap((name) => [name, `${name}.`, `${name}.evil.com`])) {
      expect([host, pattern.test(host)]).toEqual([host, isPreviewHost(host, own)]);
      expect([host, ofNobody.test(host)]).toEqual([host, isPreviewHost(host, [])]);
    }
  });

  it('lists no suffix below one of the other class, which the expression could not tell apart', () => {
    const below = PREVIEW_HOST_SUFFIXES.filter((one) =>
      PREVIEW_HOST_SUFFIXES.some(
        (other) => one.class !== other.class && one.suffix.endsWith(`.${other.suffix}`),
      ),
    );
    expect(below).toEqual([]);
  });

  it('lists every suffix once, as it would be compared', () => {
    const suffixes = PREVIEW_HOST_SUFFIXES.map((host) => host.suffix);
    expect(new Set(suffixes).size).toBe(suffixes.length);
    expect(suffixes.map(normalizeHostname)).toEqual(suffixes);
  });

  it.each([
    ['mysite.webflow.io', true],
    ['MySite.WebFlow.IO', true],
    ['mysite.webflow.io.', true],
    ['mysite.webflow.io:8080', true],
    ['mysite.webflow.io.:443', true],
    ['mysite.webflow.io:', true],
    [' mysite.webflow.io ', true],
    ['my_site.webflow.io', true],
    ['bücher.webflow.io', true],
    ['xn--bcher-kva.webflow.io', true],
    ['mysite.ｗｅｂｆｌｏｗ.io', true],
    ['mysite。webflow。io', true],
    ['webflow.io', false],
    ['webflow.io.', false],
    ['evilwebflow.io', false],
    ['webflow.io.evil.com', false],
    ['mysite.webflow.io.evil.com', false],
    ['example.com', false],
    ['localhost', false],
    ['127.0.0.1', false],
    ['127.0.0.1:3000', false],
    ['[::1]', false],
    ['[::1]:3000', false],
    ['::1', false],
    ['[::ffff:127.0.0.1]:80', false],
    ['[not an address', false],
    ['', false],
    ['.', false],
    ['..', false],
    [':', false],
    ['https://mysite.webflow.io/', false],
    ['mysite.webflow.io/path', false],
    ['user@mysite.webflow.io', false],
    ['my site.webflow.io', false],
    ['mysite.webflow.io\u0000', false],
    ['mysite%2ewebflow.io', false],
    ['\ud800.webflow.io', false],
    ['mysite.webflow.io?x', false],
    ['mysite.webflow.io#x', false],
    ['mysite.webflow.io\\x', false],
  ])('judges %j as %j', (hostname, expected) => {
    expect(isPreviewHost(hostname, [])).toBe(expected);
  });

  it('takes the longest host name that DNS knows, and no longer one', () => {
    const hostOf = (length: number): string => `${'a.'.repeat(length)}`.slice(0, length - 11) + '.webflow.io';
    expect(isPreviewHost(hostOf(HOSTNAME_CHARACTERS_MAX), [])).toBe(true);
    expect(isPreviewHost(hostOf(HOSTNAME_CHARACTERS_MAX + 2), [])).toBe(false);
    expect(isPreviewHost(`${'a.'.repeat(1_000_000)}webflow.io`, [])).toBe(false);
  });

  it.each([
    ['the host itself', ['shop.carrd.co'], 'shop.carrd.co'],
    ['the host in other letters', ['Shop.Carrd.co.'], 'shop.carrd.co:443'],
    ['a host below it', ['shop.carrd.co'], 'www.shop.carrd.co'],
    ['the second of two domains', ['example.com', 'shop.carrd.co'], 'shop.carrd.co'],
  ])('lifts the rule for a free subdomain where the project owns %s', (_, ownDomains, hostname) => {
    expect(isPreviewHost(hostname, ownDomains)).toBe(false);
  });

  it.each([
    ['another site', ['other.carrd.co']],
    ['a host below it', ['www.shop.carrd.co']],
    ['a name that ends alike', ['hop.carrd.co']],
    ['the whole platform', ['carrd.co']],
    ['the top-level domain', ['co']],
    ['nonsense', ['', '.', '*', ' ', '\u0000']],
  ])('keeps the rule for a free subdomain where the project names %s', (_, ownDomains) => {
    expect(isPreviewHost('shop.carrd.co', ownDomains)).toBe(true);
  });

  it('never lifts the rule for a staging host', () => {
    expect(isPreviewHost('shop.webflow.io', ['shop.webflow.io', 'webflow.io'])).toBe(true);
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string({ unit: 'binary' })), (text, own) => {
        expect(typeof isPreviewHost(text, own)).toBe('boolean');
        expect(typeof isPreviewHost(`${text}.carrd.co`, own)).toBe('boolean');
      }),
    );
  });

  it.each([
    ['Example.COM.:443', 'example.com'],
    ['2001:DB8::1', '2001:db8::1'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['[::1]:', '::1'],
    ['[::1]:65535', '::1'],
    ['x[::1]', null],
    ['[::1]x', null],
    ['a:80b.com', null],
    ['', null],
    [`${' '.repeat(300)}example.com`, null],
  ])('normalizes %j to %j', (text, host) => {
    expect(normalizeHostname(text)).toBe(host);
  });

  it('takes a name that is normal already as one that is not', () => {
    const hosts = fc.oneof(
      fc.stringMatching(/^(?:[a-z0-9-]{1,5}\.){1,3}[a-z0-9-]{1,3}$/),
      fc.stringMatching(/^(?:xn-{0,2}[a-z0-9-]{0,4}\.){1,2}(?:0x)?[a-z0-9]{1,3}$/),
      fc.domain(),
    );
    fc.assert(
      // A trailing dot avoids the fast path.
      fc.property(hosts, (host) =>
        expect([host, normalizeHostname(host)]).toEqual([host, normalizeHostname(`${host}.`)]),
      ),
      { numRuns: 5_000 },
    );
  });

  it('takes the longest host name with a trailing dot and the longest port', () => {
    const longest = `${'a.'.repeat(HOSTNAME_CHARACTERS_MAX)}`.slice(0, HOSTNAME_CHARACTERS_MAX);
    expect(normalizeHostname(`${longest}.:65535`)).toBe(longest);
    expect(normalizeHostname(`${longest}a`)).toBeNull();
  });
});
