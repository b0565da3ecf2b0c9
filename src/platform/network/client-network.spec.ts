import { describe, expect, it } from '@jest/globals';
import { clientNetwork, clientSite } from './client-network.js';

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::'],
    ['2001:db8:1:3::1', '2001:db8:1:3::'],
    ['::1', '::'],
    ['fe80::1%eth0', 'fe80::'],
    ['', 'unknown'],
    ['no address', 'unknown'],
  ])('counts %p by %p', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});

describe('clientSite', () => {
  it.each([
    ['2001:db8:1:2::', '2001:db8:1::'],
    ['2001:db8:1:ffff::', '2001:db8:1::'],
    ['2001:db8:2::', '2001:db8:2::'],
    ['::', '::'],
    ['192.0.2.7', null],
    ['unknown', null],
  ])('of %p is %p', (network, site) => {
    expect(clientSite(network)).toBe(site);
  });
});
