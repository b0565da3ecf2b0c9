import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Bits of an address that are stored: enough to distinguish access providers or offices, not
 * people.
 */
const IPV4_BITS_KEPT = 24;
const IPV6_BITS_KEPT = 48;

/** The network of a client's address: `203.0.113.0/24` or `2001:db8:1::/48`; null for what is no address. */
export function truncatedNetwork(address: string | undefined): string | null {
  // The parser also accepts shorthands such as 203.0.113, which are never a client's address.
  if (address === undefined || isIP(address) === 0) return null;
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? IPV4_BITS_KEPT : IPV6_BITS_KEPT;
  const bytes = parsed.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
