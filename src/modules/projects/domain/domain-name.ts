import { isIP } from 'node:net';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import type { FieldError } from '../../../platform/errors/field-problem.js';

export const DOMAINS_PER_PROJECT_MAX = 100;

/** Longest input that is parsed; a name in punycode is at most 253 characters (RFC 1035). */
export const DOMAIN_INPUT_CHARACTERS_MAX = 1000;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Characters of more than a host (scheme, port, path, user, pattern, literal address), and controls. */
// oxlint-disable-next-line no-control-regex -- control characters are what this refuses
const NOT_A_HOST = /[\u0000-\u0020\u007f-\u00a0/\\:@?#%*[\]<>^|]/;
/** In a schema: none of these, optionally surrounded by blanks. */
export const DOMAIN_PATTERN = String.raw`^\s*[^${NOT_A_HOST.source.slice(1, -1)}]+\s*$`;

export type Domains = { kind: 'accepted'; domains: string[] } | { kind: 'refused'; errors: FieldError[] };

/**
 * Normalizes a project's domains for the comparison with a request's `Origin`: lower case,
 * punycode, no trailing dot, no duplicates. An error names each invalid entry by its index.
 */
export function normalizeDomains(names: readonly unknown[], rules: { production: boolean }): Domains {
  if (names.length > DOMAINS_PER_PROJECT_MAX) {
    const message = `Enter at most ${DOMAINS_PER_PROJECT_MAX} domains.`;
    return {
      kind: 'refused',
      errors: [{ field: 'domains', message, code: 'count', max: DOMAINS_PER_PROJECT_MAX }],
    };
  }
  const hosts = names.map((name) => normalizeDomain(name, rules));
  const errors = hosts.flatMap((host, index) =>
    host === null
      ? [
          {
            field: `domains.${index}`,
            message: 'Enter a hostname such as www.example.com, without scheme, port, path, or wildcard.',
            code: 'host_name' as const,
          },
        ]
      : [],
  );
  if (errors.length > 0) return { kind: 'refused', errors };
  return { kind: 'accepted', domains: [...new Set(hosts.filter((host) => host !== null))] };
}

/** The normalized host name; null: invalid. `localhost` is valid only outside production. */
export function normalizeDomain(name: unknown, { production }: { production: boolean }): string | null {
  if (typeof name !== 'string' || name.length > DOMAIN_INPUT_CHARACTERS_MAX || !name.isWellFormed())
    return null;
  const given = name.trim();
  if (given === '' || NOT_A_HOST.test(given) || !URL.canParse(`https://${given}`)) return null;
  // Parsed before it is judged: `0x7f.1` and full-width digits become addresses only here.
  const host = new URL(`https://${given}`).hostname.replace(/\.$/, '');
  if (host === 'localhost') return production ? null : host;
  if (isIP(host) !== 0 || !host.includes('.') || host.length > HOSTNAME_CHARACTERS_MAX) return null;
  return host.split('.').every((label) => LABEL.test(label)) ? host : null;
}
