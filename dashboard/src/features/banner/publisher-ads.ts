import type { Configuration } from './configuration';

/** Names under which services for publishers are declared. Google Ads is for advertisers and not among them. */
const SERVICE = /\b(adsense|admob|google ad manager|google publisher tags?|doubleclick for publishers)\b/i;
/** Cookies that AdSense and Ad Manager set on the site's own host. */
const COOKIES = ['__gads', '__gpi', '__gpi_optout', '__eoi'];
/**
 * Hosts of their scripts and ad requests. Google Ads and Analytics use other hosts of doubleclick.net, and
 * `/ccm/` of googlesyndication.com for Consent Mode.
 */
const HOST = /(^|\.)(googlesyndication\.com|googletagservices\.com|(secure)?pubads\.g\.doubleclick\.net)$/;
const CONSENT_MODE_PATH = '/ccm/';

/**
 * What shows that a site uses AdSense, Ad Manager or AdMob, for which Google requires a certified consent platform
 * (docs/signals.md): names of services, cookies and hosts; empty: nothing.
 */
export function publisherAds({ services, blocking }: Pick<Configuration, 'services' | 'blocking'>): string[] {
  const found = [
    ...services.filter(({ name }) => SERVICE.test(name)).map(({ name }) => name),
    ...services
      .flatMap(({ cookies }) => cookies ?? [])
      .map(({ name }) => name)
      .filter((name) => COOKIES.includes(name.replace(/\*$/, ''))),
    ...(blocking.rules ?? [])
      .filter(({ host, path }) => HOST.test(host) && !path?.startsWith(CONSENT_MODE_PATH))
      .map(({ host }) => host),
  ];
  return [...new Set(found)];
}
