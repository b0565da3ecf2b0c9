/** What happens once the configuration has arrived: apply the choice, honour a signal, or ask. */
import { currentChoice, storedChoice } from './choice';
import { configuration, mode, region } from './configuration';
import { applyChoice } from './consent-applier';
import { type Choice, EVERYTHING } from './google-consent';
import { showBanner } from './load-banner';
import { base } from './page';
import type { Consent, SiteConfiguration } from './site';
import { submit } from './submit';

export const decide = (consent: Consent): void => {
  const { banner, honorGlobalPrivacyControl, visitsUrl } = configuration as SiteConfiguration;
  const countVisit = (): void => {
    if (visitsUrl) navigator.sendBeacon?.(new URL(visitsUrl, base), JSON.stringify({ region }));
  };
  const current = currentChoice();
  const currentMode = mode();
  if (current) applyChoice(current);
  else if (
    (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl &&
    honorGlobalPrivacyControl &&
    (!banner?.enabled || currentMode === 'opt_out')
  ) {
    void submit({ action: 'opt_out', gpc: true, surface: 'signal' });
    if (banner?.enabled) showBanner(consent, 'signal');
  } else {
    // A refusal holds until the visitor decides again; a grant that expired holds no longer where consent is required.
    const last = storedChoice();
    if (currentMode !== 'opt_in') applyChoice(last ?? EVERYTHING);
    else if (last) applyChoice({} as Choice);
    // Our banner counts the visit itself, as it alone knows the visitor's decision.
    if (banner?.enabled && currentMode !== 'none') return showBanner(consent, 'banner', countVisit);
  }
  countVisit();
};
