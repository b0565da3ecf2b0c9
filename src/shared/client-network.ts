import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const IPV6_PREFIX_BYTES = 8;

/**
 * What attempts are counted by: an IPv4 address itself, of an IPv6 address its /64, which one customer of an
 * access provider holds whole. A mapped address counts as the IPv4 address in it.
 */
export function clientNetwork(address: string): string {
  // The common case on the way of every consent: nothing is taken apart.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr
    .fromByteArray(parsed.toByteArray().map((byte, index) => (index < IPV6_PREFIX_BYTES ? byte : 0)))
    .toString();
}
