import { getDomain } from 'tldts';
import { isPreviewHost } from '../../licensing/domain/preview-host.js';
import { normalizeDomain } from '../../projects/domain/domain-name.js';

/** Why a hostname cannot be a custom domain. */
export const REFUSAL_SENTENCES = {
  not_a_hostname: 'Enter a hostname such as consent.example.com, without scheme, port, path, or wildcard.',
  public_suffix: 'Enter a host below a domain that you registered, such as consent.example.com.',
  own_host: 'This host belongs to the service. Enter a host of your own domain.',
  preview_host: 'Hosts of website builders cannot be custom domains. Enter a host of your own domain.',
  outside_project:
    'This host is not below a domain of the project. Add the domain to the project first, or enter another host.',
} as const;
export type HostnameRefusal = keyof typeof REFUSAL_SENTENCES;

export interface HostnameRules {
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
  if (registrableDomain(hostname) === null) return { kind: 'refused', reason: 'public_suffix' };
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

/** `example.co.uk`; null for a public suffix, with those of hosting platforms. */
function registrableDomain(hostname: string): string | null {
  return getDomain(hostname, { allowPrivateDomains: true });
}
