import { originHost } from '../../modules/consent/domain/origin.js';
import { normalizeDomain } from '../../modules/projects/domain/domain-name.js';

/** Parent domain of the hosts in generated records. */
export const DEMO_DOMAIN = 'example.com';

/**
 * The domains of a demo project with generated records: the records' domains, and each of `hosts`
 * that the demo's page may be opened at. null: the project must list none, because one of these is
 * an address that others reach. No project can list an address, and choices made there would be
 * refused.
 */
export function demoDomains(hosts: readonly string[]): string[] | null {
  const rules = { production: false };
  // Pages of this machine are never refused in development.
  const others = hosts.filter((host) => originHost(`http://${host}`, rules) !== null);
  const named = others.map((host) => normalizeDomain(host, rules));
  return named.includes(null) ? null : [DEMO_DOMAIN, ...new Set(named as string[])];
}
