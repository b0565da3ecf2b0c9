/** What happens once the configuration has arrived: apply the choice, honour a signal, or ask. */
import { currentChoice, storedChoice } from './choice';
import { configuration, mode, region } from './configuration';
import { applyChoice } from './consent-applier';
import { type Choice, EVERYTHING } from './google-consent';
import { showBanner } from './load-banner';
import { base } from './page';
import type { Consent, Reason, SiteConfiguration } from './site';
import { submit } from './submit';

export const decide = (consent: Consent): void => {
  const { banner, honorGlobalPrivacyControl, visitsUrl } = configuration as SiteConfiguration;
  const current = currentChoice();
  const currentMode = mode();
  let reason: Reason | undefined;
  if (current) applyChoice(current);
  else if (
    (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl &&
    honorGlobalPrivacyControl &&
    (!banner?.enabled || currentMode === 'opt_out')
  )
    reason = 'signal';
  else {
    // A refusal holds until the visitor decides again; a grant that expired holds no longer where consent is required.
    const last = storedChoice();
    if (currentMode !== 'opt_in') applyChoice(last ?? EVERYTHING);
    else if (last) applyChoice({} as Choice);
    if (banner?.enabled && currentMode !== 'none') reason = 'banner';
  }
  void showBanner(consent, reason, (seen) => {
    if (reason === 'signal') void submit({ ...seen, action: 'opt_out', gpc: true, surface: reason });
    // Our banner counts a visit on which it asks, as it alone knows the visitor's decision.
    if (visitsUrl && !(seen && reason === 'banner'))
      navigator.sendBeacon?.(new URL(visitsUrl, base), JSON.stringify({ region }));
  });
};
