import { describe, expect, it } from '@jest/globals';
import { isAddressAllowed, isPublicAddress, parseExceptions } from './address-policy.js';

describe('parseExceptions', () => {
  it('refuses an entry that is neither target nor range', () => {
    for (const entry of ['localhost', 'a/b:80', 'host:80/path', '10.0.0.0/33', 'user@host:1']) {
      expect(() => parseExceptions([entry])).toThrow(`"${entry}" is invalid`);
    }
  });
});

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '100.63.255.255'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['100.128.0.0', '192.167.255.255', '223.255.255.255', '2606:4700::1', '2a00:1450::1'])(
    '%s is public, too',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.0.1',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'fe80::1%eth0',
    'not an address',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  it('is overruled by a range for that address alone', () => {
    const exceptions = parseExceptions(['127.0.0.0/8']);
    expect(isAddressAllowed('127.0.0.1', exceptions)).toBe(true);
    expect(isAddressAllowed('10.0.0.1', exceptions)).toBe(false);
    expect(isAddressAllowed('not an address', exceptions)).toBe(false);
  });
});
