import { base } from './page';
import { pristineDocument } from './pristine-document';
import type { Consent, Reason, ShowBanner } from './site';
import { trustedScript } from './trusted-script';

let banner: Promise<ShowBanner> | undefined;

/** Shows our banner and loads it first if needed; `failed` is called if it cannot be loaded. */
export const showBanner = (consent: Consent, reason: Reason, failed?: () => void): void => {
  const name = consent.configuration?.bannerScript;
  if (!name) return;
  banner ??= new Promise((resolve, reject) => {
    const script = trustedScript(new URL(name, base).href, '') as HTMLScriptElement & { show: ShowBanner };
    script.onload = () => resolve(script.show);
    script.onerror = reject;
    pristineDocument('head').appendChild(script);
  });
  // The page may block the banner's file, or the network failed: the next call loads it again.
  banner
    .then((show) => show(consent, reason))
    .catch(() => {
      banner = undefined;
      failed?.();
    });
};
