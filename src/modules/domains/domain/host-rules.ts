import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import { isPreviewHost } from '../../licensing/domain/preview-host.js';
import { normalizeDomain } from '../../projects/domain/domain-name.js';
import { type DomainState, GOOD_FOR_MS, SERVING_STATES } from './custom-domain.js';

/** The format of browsers. */
const ORIGIN = /^https?:\/\/([a-z0-9.-]+)(?::\d{1,5})?$/;

/** Whether requests over the host are served. */
export const isServed = ({ state }: { state: DomainState }): boolean => SERVING_STATES.includes(state);

/**
 * Whether the edge may get a certificate: the host is served, and its records were valid within the
 * last 24 hours.
 */
export function mayGetCertificate(host: { state: DomainState; goodAt: Date | null }, now: Date): boolean {
  return isServed(host) && host.goodAt !== null && now.getTime() - host.goodAt.getTime() < GOOD_FOR_MS;
}

/** Whether a host is an address or a name without a dot, which cannot be registered. */
export function isLiteralHost(hostname: string): boolean {
  return !hostname.includes('.') || hostname.startsWith('[') || isIP(hostname) !== 0;
}

/** The host name in a `Host` header, in lower case, without port and trailing dot. */
export function hostnameIn(header: string | undefined): string {
  return (header ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Whether pages of an origin may read responses: it is one of the project's domains, or below one. */
export function isOriginOfProject(origin: string, domains: readonly string[]): boolean {
  const hostname = ORIGIN.exec(origin)?.[1];
  return (
    hostname !== undefined && domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`))
  );
}

/** Labels below the registrable domain. A check queries CAA records at each of them. */
const LABELS_BELOW_MAX = 5;

/** Why a hostname cannot be a custom domain. */
export const REFUSAL_SENTENCES = {
  not_a_hostname: 'Enter a hostname such as consent.example.com, without scheme, port, path, or wildcard.',
  public_suffix: 'Enter a host below a domain that you registered, such as consent.example.com.',
  too_many_labels: `A custom domain has at most ${LABELS_BELOW_MAX} labels below your registered domain, such as consent.eu.example.com.`,
  own_host: 'This host belongs to the service. Enter a host of your own domain.',
  preview_host: 'Hosts of website builders cannot be custom domains. Enter a host of your own domain.',
  outside_project:
    'This host is not below a domain of the project. Add the domain to the project first, or enter another host.',
} as const;
type HostnameRefusal = keyof typeof REFUSAL_SENTENCES;

interface HostnameRules {
  /** The project's domains. */
  projectDomains: readonly string[];
  /** Hosts of the service; hosts below them are refused, too. */
  ownHosts: readonly string[];
}

/** The hostname in lower case and punycode, or why it is refused. */
export function checkHostname(
  text: string,
  { projectDomains, ownHosts }: HostnameRules,
): { kind: 'accepted'; hostname: string } | { kind: 'refused'; reason: HostnameRefusal } {
  const hostname = normalizeDomain(text, { production: true });
  if (hostname === null) return { kind: 'refused', reason: 'not_a_hostname' };
  const registrable = registrableDomain(hostname);
  if (registrable === null) return { kind: 'refused', reason: 'public_suffix' };
  if (hostname.split('.').length - registrable.split('.').length > LABELS_BELOW_MAX)
    return { kind: 'refused', reason: 'too_many_labels' };
  if (ownHosts.some((own) => hostname === own || hostname.endsWith(`.${own}`)))
    return { kind: 'refused', reason: 'own_host' };
  if (isPreviewHost(hostname, [])) return { kind: 'refused', reason: 'preview_host' };
  if (!isWithinProject(hostname, projectDomains)) return { kind: 'refused', reason: 'outside_project' };
  return { kind: 'accepted', hostname };
}

/** Whether the host and one of the project's domains have the same registrable domain. */
export function isWithinProject(hostname: string, projectDomains: readonly string[]): boolean {
  const own = registrableDomain(hostname);
  return own !== null && projectDomains.some((domain) => registrableDomain(domain) === own);
}

/** `example.co.uk`; null for a public suffix, including hosting platforms. */
function registrableDomain(hostname: string): string | null {
  return getDomain(hostname, { allowPrivateDomains: true });
}
