import { setPageWork } from './consent-applier';
import { base } from './page';
import { pristineDocument } from './pristine-document';
import type { BannerScript, Consent, Reason } from './site';
import { trustedScript } from './trusted-script';

let banner: Promise<BannerScript> | undefined;

/**
 * Loads our banner if needed, applies it to the page, and shows it if there is a reason. `done`
 * gets the displayed state, or nothing if the banner cannot be loaded.
 */
export const showBanner = async (
  consent: Consent,
  reason: Reason | false | undefined,
  done?: (seen?: object) => void,
): Promise<void> => {
  const name = consent.configuration?.bannerScript;
  banner ??= new Promise((resolve, reject) => {
    if (!name) return reject();
    const script = trustedScript(new URL(name, base).href, '') as unknown as BannerScript;
    script.onload = () => resolve(script);
    script.onerror = reject;
    pristineDocument('head').appendChild(script);
  });
  try {
    const script = await banner;
    // A banner that an older version has published only shows itself.
    const work = script.start?.(consent, trustedScript);
    if (reason) script.show(consent, reason);
    setPageWork(work);
    done?.({ ...work?.seen });
  } catch {
    // The page may block the banner's file, or the network failed: the next call loads it again.
    banner = undefined;
    done?.();
  }
};
