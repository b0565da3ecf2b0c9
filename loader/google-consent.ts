import { lastGood } from './configuration';
import { ownGlobal } from './own-global';
import { CATEGORIES } from './mode';
import { listOf } from './storage';
import type { Category, Choice } from './site';

export type { Choice } from './site';

/** The types of Google Consent Mode v2, in the order that compresses best. */
const TYPES =
  'analytics_storage,functionality_storage,ad_storage,ad_personalization,personalization_storage,ad_user_data'.split(
    ',',
  );
/** The category that grants each of them, by its index in `CATEGORIES`. */
const TYPE_CATEGORIES = '021121';
/** Of the data layer, after each update. */
const CHOICE_EVENT = 'service_consent_update';
/** How long Google's tags wait for a first update. */
const WAIT_FOR_UPDATE_MS = 500;

let layer: unknown[];
// Google's tags require the arguments object itself, not an array.
const gtag = function (): void {
  // oxlint-disable-next-line prefer-rest-params -- see above
  layer.push(arguments);
} as (...parameters: unknown[]) => void;

/** Sets the published options of Google's tags, which read them before they send anything. */
export const setGtag = (): unknown => lastGood?.gtag && gtag('set', lastGood.gtag);

const states = (choice?: Choice): object =>
  Object.fromEntries(
    TYPES.map((type, n) => [
      type,
      choice?.[CATEGORIES[TYPE_CATEGORIES[n] as never] as Category] ? 'granted' : 'denied',
    ]),
  );

/** Pushes the new grants. */
export const updateGoogle = (choice: Choice): void => {
  gtag('consent', 'update', states(choice));
  // For triggers of tag managers.
  layer.push({ event: CHOICE_EVENT });
};

/**
 * Pushes `default`, all denied, before anything else, then what the visitor chose on an earlier page.
 */
export const startGoogle = (known: Choice | null): void => {
  (window as { dataLayer?: unknown[] }).dataLayer = layer = listOf(ownGlobal('dataLayer'));
  gtag('consent', 'default', { ...states(), wait_for_update: WAIT_FOR_UPDATE_MS });
  setGtag();
  if (known) updateGoogle(known);
};
