import type { ServiceSettings } from '../settings/service.settings.js';

/**
 * The origin of the service, e.g. `https://consent.example.com`: PUBLIC_BASE_URL, or, if that is
 * empty, the address at which this machine reaches `host` and `port`.
 */
export function resolveBaseUrl({
  publicBaseUrl,
  host,
  port,
}: Pick<ServiceSettings, 'publicBaseUrl' | 'host' | 'port'>): string {
  return publicBaseUrl || `http://${reachableHost(host)}:${port}`;
}

/** The wildcard address cannot be called, and an IPv6 address needs brackets before a port. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
