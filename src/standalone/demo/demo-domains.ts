import { originHost } from '../../consent/domain/origin.js';
import { normalizeDomain } from '../../projects/domain/domain-name.js';

/** Parent domain of the hosts in generated records. */
export const DEMO_DOMAIN = 'example.com';

/**
 * The domains of a demo project whose records are made up: theirs, and each of `hosts` under which the demo's own page
 * may be opened. null: it is to name none, as one of these is an address that others reach. No project can name that,
 * and what is chosen there would be refused.
 */
export function demoDomains(hosts: readonly string[]): string[] | null {
  const rules = { production: false };
  // Pages of this machine are never refused in development.
  const others = hosts.filter((host) => originHost(`http://${host}`, rules) !== null);
  const named = others.map((host) => normalizeDomain(host, rules));
  return named.includes(null) ? null : [DEMO_DOMAIN, ...new Set(named as string[])];
}
