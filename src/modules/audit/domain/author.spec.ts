import { describe, expect, it } from '@jest/globals';
import { truncatedNetwork } from './author.js';

describe(truncatedNetwork.name, () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['203.0.113.0', '203.0.113.0/24'],
    ['255.255.255.255', '255.255.255.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
    ['2001:db8:2::1', '2001:db8:2::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['::1', '::/48'],
  ])('of %s keeps %s', (address, network) => {
    expect(truncatedNetwork(address)).toBe(network);
  });

  it.each([[undefined], [''], ['unknown'], ['203.0.113'], ['example.com']])('knows none of %p', (address) => {
    expect(truncatedNetwork(address)).toBeNull();
  });
});
