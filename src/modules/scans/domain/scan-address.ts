import { hostAndPort } from '../../../platform/network/address-policy.js';

/** Longest address of a page, in characters. */
export const PAGE_URL_CHARACTERS_MAX = 1000;

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
/** The ports of the web. Any other port needs an entry in the list of allowed private targets. */
const WEB_PORTS = new Set(['', '80', '443']);
/** Query parameters that only identify a visitor's referrer. */
const CAMPAIGN_PARAMETER = /^(utm_\w+|gclid|gbraid|wbraid|fbclid|msclkid|dclid|mc_cid|mc_eid|_gl)$/;

/** The addresses that a scan may visit. */
export interface ScanScope {
  /** The project's domains; their subdomains count, too. */
  domains: readonly string[];
  /** `host:port` of private targets that the operator allowed. */
  allowedTargets: ReadonlySet<string>;
  /** Hosts that the operator excluded; hosts below them count, too. */
  excludedHosts: readonly string[];
  production: boolean;
}

/** Why an address is not scanned; null: it may be. */
export type AddressRefusal = 'malformed' | 'outside_project' | 'excluded' | 'port';

/**
 * The normalized address of a page: no fragment, no campaign parameters, no credentials. null: not
 * an http or https address, or too long.
 */
export function normalizePageUrl(text: string, base?: string): string | null {
  if (text.length > 2 * PAGE_URL_CHARACTERS_MAX || !text.isWellFormed() || !URL.canParse(text, base))
    return null;
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  url.hash = '';
  url.username = '';
  url.password = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  for (const name of Array.from(url.searchParams.keys()))
    if (CAMPAIGN_PARAMETER.test(name)) url.searchParams.delete(name);
  return url.href.length > PAGE_URL_CHARACTERS_MAX ? null : url.href;
}

/** Judges an address by its text. Names are resolved by the proxy, which judges every address they lead to. */
export function judgeScanAddress(
  text: string,
  { domains, allowedTargets, excludedHosts, production }: ScanScope,
): AddressRefusal | null {
  if (!URL.canParse(text)) return 'malformed';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'malformed';
  if (!isProjectHost(url.hostname, domains, production)) return 'outside_project';
  if (isExcludedHost(url.hostname, excludedHosts)) return 'excluded';
  return WEB_PORTS.has(url.port) || allowedTargets.has(hostAndPort(url)) ? null : 'port';
}

/** Whether the operator excluded a host, or one above it. */
export function isExcludedHost(hostname: string, excludedHosts: readonly string[]): boolean {
  const host = hostname.replace(/\.$/, '');
  return excludedHosts.some((excluded) => host === excluded || host.endsWith(`.${excluded}`));
}

/** Whether a host is one of the project's: a domain or a host below it, or in development this machine. */
function isProjectHost(host: string, domains: readonly string[], production: boolean): boolean {
  if (!production && LOCAL_HOSTS.has(host)) return true;
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}
