import { ownGlobal } from './own-global';

export interface Choice {
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
}

export const EVERYTHING: Choice = { analytics: true, marketing: true, preferences: true };
export const CATEGORIES = Object.keys(EVERYTHING) as (keyof Choice)[];

/** What each category grants in Google Consent Mode v2. */
const TYPES: Record<string, keyof Choice> = {
  ad_storage: 'marketing',
  ad_user_data: 'marketing',
  ad_personalization: 'marketing',
  analytics_storage: 'analytics',
  functionality_storage: 'preferences',
  personalization_storage: 'preferences',
};
/** Of the data layer, after each update. */
const CHOICE_EVENT = 'service_consent_update';
/** How long Google's tags wait for a first update. */
const WAIT_FOR_UPDATE_MS = 500;

/**
 * Pushes `default`, all denied, before anything else, then what the visitor chose on an earlier page. Call the returned
 * function with each further choice.
 */
export function googleConsent(known: Choice | null): (choice: Choice) => void {
  const own = ownGlobal('dataLayer');
  const layer: unknown[] = Array.isArray(own) ? own : [];
  (window as { dataLayer?: unknown[] }).dataLayer = layer;
  // Google's tags require the arguments object itself, not an array.
  const gtag = function (): void {
    // oxlint-disable-next-line prefer-rest-params -- see above
    layer.push(arguments);
  } as (...parameters: unknown[]) => void;
  const states = (choice: Choice | null): object =>
    Object.fromEntries(
      Object.entries(TYPES).map(([type, category]) => [type, choice?.[category] ? 'granted' : 'denied']),
    );
  const update = (choice: Choice): void => {
    gtag('consent', 'update', states(choice));
    // For triggers of tag managers.
    layer.push({ event: CHOICE_EVENT });
  };
  gtag('consent', 'default', { ...states(null), wait_for_update: WAIT_FOR_UPDATE_MS });
  if (known) update(known);
  return update;
}
