/** Loads the banner's part for sites whose visitors choose by service (services/services.ts). */
import { pristineDocument } from '../pristine-document';
import type { ServicePart, ServiceScript, SiteConfiguration, TrustedScript } from '../site';
import { bannerAddress, bannerNonce } from './address';
import { element } from './element';

let loading: Promise<ServicePart | undefined> | undefined;

/**
 * Calls `use` with the part; undefined: the site has none, which is known at once, or it cannot be loaded.
 * `trustedScript` is absent in a preview.
 */
export function withServicePart(
  { serviceScript }: SiteConfiguration,
  use: (part: ServicePart | undefined) => void,
  trustedScript?: TrustedScript,
): void {
  if (!serviceScript) use(undefined);
  else void (loading ??= load(new URL(serviceScript, bannerAddress).href, trustedScript)).then(use);
}

const load = (address: string, trustedScript?: TrustedScript): Promise<ServicePart | undefined> =>
  new Promise((resolve) => {
    const script = (trustedScript?.(address, '') ??
      Object.assign(element('script', ''), { nonce: bannerNonce, src: address })) as unknown as ServiceScript;
    script.onload = () => resolve(script.services);
    script.onerror = () => {
      // The next call tries again.
      loading = undefined;
      resolve(undefined);
    };
    pristineDocument('head').appendChild(script);
  });
