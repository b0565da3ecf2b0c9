import { describe, expect, it } from '@jest/globals';
import { addressKey, domainKey } from './target-keys.js';

describe('domainKey', () => {
  it.each([
    ['hooks.example.com', 'example.com'],
    ['example.com', 'example.com'],
    ['a.b.c.example.co.uk', 'example.co.uk'],
    // Customers of a hosting company on the public suffix list are separate sites.
    ['one.github.io', 'one.github.io'],
    ['a.one.github.io', 'one.github.io'],
    ['xn--bcher-kva.example.com', 'example.com'],
  ])('finds the site of %s', (hostname, value) => {
    expect(domainKey(hostname)).toBe(`domain ${value}`);
  });

  it.each(['localhost', 'github.io', '192.0.2.1', '[2001:db8::1]'])(
    'keeps %s, which has none',
    (hostname) => {
      expect(domainKey(hostname)).toBe(`domain ${hostname}`);
    },
  );
});

describe('addressKey', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('counts %s under %s', (address, value) => {
    expect(addressKey(address)).toBe(`address ${value}`);
  });
});
