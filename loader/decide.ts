/** What happens once the configuration has arrived: apply the choice, honour a signal, or ask. */
import { currentChoice, storedChoice } from './choice';
import { configuration, isSignaled, mode, modes, region } from './configuration';
import { applyChoice } from './consent-applier';
import type { Choice } from './google-consent';
import { showBanner } from './load-banner';
import { byCategory, CATEGORIES } from './mode';
import { base } from './page';
import type { Category, Consent, Reason, SiteConfiguration } from './site';
import { submit } from './submit';

export const decide = (consent: Consent): void => {
  const { banner, visitsUrl } = configuration as SiteConfiguration;
  const current = currentChoice();
  const currentModes = modes();
  let flags: Choice | undefined;
  let reason: Reason | false | undefined;
  if (current) applyChoice(current);
  else {
    const last = storedChoice();
    const isRunning = (category: Category): boolean => currentModes[category] !== 'opt_in';
    const isAnyRunning = CATEGORIES.some(isRunning);
    // If our banner asks before anything runs, visitors with the signal see the prompt too.
    const isRefused = isSignaled() && (isAnyRunning || !banner?.enabled);
    // A refusal holds until the visitor decides again; a grant that expired holds no longer where consent is required.
    flags = byCategory((category) => isRunning(category) && !isRefused && (last?.[category] ?? true));
    if (!isRefused && (last || isAnyRunning)) applyChoice(flags);
    reason = isRefused ? 'signal' : banner?.enabled && mode() !== 'none' && 'banner';
  }
  void showBanner(consent, reason, (seen) => {
    if (reason === 'signal')
      void submit({ ...seen, ...flags, action: 'opt_out', gpc: true, surface: reason });
    // The banner itself counts a visit with a prompt, because it has the visitor's decision.
    if (visitsUrl && !(seen && reason === 'banner'))
      navigator.sendBeacon?.(new URL(visitsUrl, base), JSON.stringify({ region }));
  });
};
