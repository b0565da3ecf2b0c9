/** Grants by service, on the page and at Google. */
import { ownGlobal } from '../own-global';
import { pristineDocument } from '../pristine-document';
import { grantedServices } from '../service-grants';
import type { Category, Choice, ServiceChoice, SiteConfiguration, StoredChoice } from '../site';

/** The choice cookie with services (docs/first-party.md). */
const COOKIE = /service-consent=v2\....\.(\d+)\.[^;~]*~([^;]*)/;
/** The types of Google Consent Mode v2, by the category that grants them. */
const GOOGLE_TYPES: Record<Category, string[]> = {
  analytics: ['analytics_storage'],
  marketing: ['ad_storage', 'ad_user_data', 'ad_personalization'],
  preferences: ['functionality_storage', 'personalization_storage'],
};
/** Of the data layer, for triggers of tag managers. */
const EVENT = 'service_consent_services';

const offeredIn = ({ services }: SiteConfiguration): [id: string, category: Category][] =>
  services.flatMap(({ id, category }) =>
    id && category !== 'necessary' ? [[id, category] as [string, Category]] : [],
  );

let last: Record<string, boolean> | undefined;

/** Grants of the page's last choice. */
export const current = (): typeof last => last;

/** Gives a choice the grant of every service, and reports services to Google that differ from their category. */
export function complete(configuration: SiteConfiguration, choice: Choice): void {
  const services = choice.services ?? servicesInCookie(choice);
  choice.services = last = grantedServices({ ...choice, services }, offeredIn(configuration));
  pristineDocument('dispatchEvent')(
    new CustomEvent(`${CONSENT_GLOBAL}:services`, { detail: { ...choice.services }, bubbles: true }),
  );
  const layer = ownGlobal('dataLayer');
  if (!Array.isArray(layer)) return;
  const states = googleStates(configuration, choice, choice.services);
  if (states.length > 0) pushConsent(layer, Object.fromEntries(states));
  layer.push({ event: EVENT, services: { ...choice.services } });
}

/** Google's tags require the arguments object itself, not an array. */
function pushConsent(layer: unknown[], states: object): void {
  const gtag = function (): void {
    // oxlint-disable-next-line prefer-rest-params -- see above
    layer.push(arguments);
  } as (...parameters: unknown[]) => void;
  gtag('consent', 'update', states);
}

/** Denied if one of Google's services in a category is refused, granted if all are accepted. */
function googleStates(
  configuration: SiteConfiguration,
  choice: Choice,
  services: Record<string, boolean>,
): [type: string, state: string][] {
  const own = offeredIn(configuration).filter(([id]) => configuration.vendors?.['google']?.includes(id));
  return configuration.categories.flatMap((category) => {
    const ids = own.filter(([, of]) => of === category).map(([id]) => id);
    const isGranted = ids.every((id) => services[id]);
    return ids.length === 0 || isGranted === choice[category]
      ? []
      : GOOGLE_TYPES[category].map((type): [string, string] => [type, isGranted ? 'granted' : 'denied']);
  });
}

/** Of a choice that the loader has read from the cookie. */
function servicesInCookie(choice: Partial<StoredChoice>): Record<string, boolean> | undefined {
  try {
    const [, seconds, ids] = COOKIE.exec(pristineDocument('cookie')) ?? [];
    if (!ids || Number(seconds) * 1000 !== choice.at) return undefined;
    return Object.fromEntries(ids.split('.').map((id) => [id, true]));
  } catch {
    // A sandboxed page has no cookies.
    return undefined;
  }
}

/** The visitor's choice after they have also allowed a category or service, by its name or id. */
export function allow(
  configuration: SiteConfiguration,
  granted: Choice | undefined,
  name: string,
): ServiceChoice {
  const offered = offeredIn(configuration);
  const services = Object.fromEntries(
    offered.map(([id, category]) => [
      id,
      id === name || category === name || granted?.services?.[id] === true,
    ]),
  );
  return {
    services,
    granted: configuration.categories.filter((category) => {
      const own = offered.filter(([, of]) => of === category);
      return own.length > 0
        ? own.every(([id]) => services[id])
        : category === name || granted?.[category] === true;
    }),
  };
}
