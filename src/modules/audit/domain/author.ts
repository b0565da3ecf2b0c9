import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The author of a change in the audit log: ids, never names or addresses of people. */
export type Author =
  | { kind: 'user' | 'api_key'; id: string; network: string | null }
  /** `id`: the operator's name from `--by`; null: the command has no such option. */
  | { kind: 'operator'; id: string | null }
  /** An anonymous visitor with a visitor key. */
  | { kind: 'visitor' }
  /** A change reported by the billing provider. */
  | { kind: 'stripe' }
  /** The service itself, e.g. a scheduled reconciliation. */
  | { kind: 'system' };

/** An author in one word, as in older logs (`tier_change`): `kind:id`, or only the kind. */
export function authorName(author: Author): string {
  return 'id' in author && author.id !== null ? `${author.kind}:${author.id}` : author.kind;
}

export const AUTHOR_KINDS = ['user', 'api_key', 'visitor', 'operator', 'stripe', 'system'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];

/** Bits of an address that are stored: enough to distinguish access providers or offices, not people. */
const IPV4_BITS_KEPT = 24;
const IPV6_BITS_KEPT = 48;

/** The network of a client's address: `203.0.113.0/24` or `2001:db8:1::/48`; null for anything else. */
export function truncatedNetwork(address: string | undefined): string | null {
  // The parser also accepts shorthands such as 203.0.113, which are never a client's address.
  if (address === undefined || isIP(address) === 0) return null;
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? IPV4_BITS_KEPT : IPV6_BITS_KEPT;
  const bytes = parsed.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
