import type { ServiceSettings } from '../settings/service.settings.js';

/**
 * The origin at which the service is reached, e.g. `https://consent.example.com`: PUBLIC_BASE_URL, or, where
 * that is empty, the address under which this machine reaches `host` and `port`.
 */
export function resolveBaseUrl({
  publicBaseUrl,
  host,
  port,
}: Pick<ServiceSettings, 'publicBaseUrl' | 'host' | 'port'>): string {
  return publicBaseUrl || `http://${reachableHost(host)}:${port}`;
}

/** All addresses at once are none to call, and an address of IPv6 stands in brackets before a port. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
