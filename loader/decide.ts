/** What happens once the configuration has arrived: apply the choice, honour a signal, or ask. */
import { currentChoice, storedChoice } from './choice';
import { configuration, mode, modes, region, rule } from './configuration';
import { applyChoice } from './consent-applier';
import type { Choice } from './google-consent';
import { showBanner } from './load-banner';
import { byCategory, CATEGORIES } from './mode';
import { base } from './page';
import type { Category, Consent, Reason, SiteConfiguration } from './site';
import { submit } from './submit';

export const decide = (consent: Consent): void => {
  const { banner, honorGlobalPrivacyControl, visitsUrl } = configuration as SiteConfiguration;
  const current = currentChoice();
  const currentModes = modes();
  let flags: Choice | undefined;
  let reason: Reason | undefined;
  if (current) applyChoice(current);
  else {
    const last = storedChoice();
    /** A banner of the site's own may ask anything, so the signal refuses everything. */
    const isRefused = (category: Category): boolean =>
      !banner?.enabled || currentModes[category] === 'opt_out';
    const isSignaled =
      (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl &&
      (rule().honorGlobalPrivacyControl ?? honorGlobalPrivacyControl) &&
      CATEGORIES.some(isRefused);
    // A refusal holds until the visitor decides again; a grant that expired holds no longer where consent is required.
    flags = byCategory(
      (category) =>
        currentModes[category] !== 'opt_in' &&
        !(isSignaled && isRefused(category)) &&
        (last?.[category] ?? true),
    );
    if (isSignaled) reason = 'signal';
    else {
      if (last || Object.values(flags).includes(true)) applyChoice(flags);
      if (banner?.enabled && mode() !== 'none') reason = 'banner';
    }
  }
  void showBanner(consent, reason, (seen) => {
    if (reason === 'signal')
      void submit({ ...seen, ...flags, action: 'opt_out', gpc: true, surface: reason });
    // Our banner counts a visit on which it asks, as it alone knows the visitor's decision.
    if (visitsUrl && !(seen && reason === 'banner'))
      navigator.sendBeacon?.(new URL(visitsUrl, base), JSON.stringify({ region }));
  });
};
