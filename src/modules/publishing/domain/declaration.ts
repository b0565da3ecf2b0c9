import type { BannerText } from './banner-text.js';
import {
  type CookieTranslation,
  SERVICE_CATEGORIES,
  type ServiceCategory,
  type ServiceCookie,
  type ServiceTranslation,
  type SiteConfiguration,
} from './configuration.js';
import { type DeclarationWords, declarationWords, defaultText, knownText } from './default-texts.js';

/** The parts of a published document in the declaration; empty lists of translations are absent. */
export type DeclarationSource = Pick<
  SiteConfiguration,
  'defaultLanguage' | 'texts' | 'categories' | 'services' | 'reconsentMonths'
> & {
  banner: { enabled: boolean };
  /** Who decides about the records; absent in older documents. */
  controller?: { name: string | null };
};

/** The declaration in one language: plain text, escaped by what shows it. */
export interface Declaration {
  language: string;
  isRightToLeft: boolean;
  words: DeclarationWords;
  categories: { key: ServiceCategory; title: string; description: string; rows: DeclarationRow[] }[];
}

/** A cookie of a service; null: the service declares none. An empty provider is not known. */
export interface DeclarationRow {
  service: string;
  provider: string;
  policyUrl: string | null;
  cookie: { name: string; purpose: string; duration: string } | null;
}

/** On a site's own host with the prefix `__Host-`. */
const CHOICE_COOKIE = 'service-consent';

const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|ks|ps|sd|ug|ur|yi)(-|$)/i;

/** One declaration for each language of the banner, the default language first. */
export function declarations(source: DeclarationSource): Declaration[] {
  const { texts, defaultLanguage } = source;
  return texts
    .toSorted((a, b) => Number(b.language === defaultLanguage) - Number(a.language === defaultLanguage))
    .map((text) => declarationIn(text, source));
}

/** Necessary services, then the services of each category that the banner offers. */
function declarationIn(text: BannerText, source: DeclarationSource): Declaration {
  const { language } = text;
  const offered = SERVICE_CATEGORIES.filter(
    (category) => category === 'necessary' || source.categories.includes(category),
  );
  return {
    language,
    isRightToLeft: RIGHT_TO_LEFT.test(language),
    words: declarationWords(language),
    categories: offered
      .map((category) => ({
        key: category,
        ...categoryText(category, text, source.defaultLanguage),
        rows: [
          ...(category === 'necessary' ? choiceRows(language, source) : []),
          ...serviceRows(category, language, source),
        ],
      }))
      .filter(({ rows }) => rows.length > 0),
  };
}

function serviceRows(
  category: ServiceCategory,
  language: string,
  { services }: DeclarationSource,
): DeclarationRow[] {
  return services
    .filter((service) => service.category === category)
    .flatMap((service): DeclarationRow[] => {
      const { provider, policyUrl, cookies } = service;
      const name = translation<ServiceTranslation>(service.translations, language)?.name;
      const shared = { service: name ?? service.name, provider, policyUrl };
      return cookies.length === 0
        ? [{ ...shared, cookie: null }]
        : cookies.map((cookie) => ({ ...shared, cookie: cookieIn(cookie, language) }));
    });
}

/**
 * The storage of our own banner: the choice, in the browser's storage or in a cookie (docs/first-party.md).
 */
function choiceRows(
  language: string,
  { banner, reconsentMonths, controller }: DeclarationSource,
): DeclarationRow[] {
  if (!banner.enabled) return [];
  const words = declarationWords(language);
  const duration = new Intl.NumberFormat(words.language, {
    style: 'unit',
    unit: 'month',
    unitDisplay: 'long',
  }).format(reconsentMonths);
  const cookie = { name: CHOICE_COOKIE, purpose: words.choicePurpose, duration };
  return [{ service: words.choice, provider: controller?.name ?? '', policyUrl: null, cookie }];
}

function categoryText(
  category: ServiceCategory,
  text: BannerText,
  defaultLanguage: string,
): { title: string; description: string } {
  const known = knownText(text.language) ?? defaultText(defaultLanguage);
  if (category !== 'necessary') {
    const { title, description } = [...text.categories, ...known.categories].find(
      ({ key }) => key === category,
    ) ?? { title: category, description: '' };
    return { title, description };
  }
  const labels = { ...known.labels, ...text.labels };
  return {
    title: labels.necessaryTitle ?? category,
    description: labels.necessaryDescription ?? '',
  };
}

function cookieIn(cookie: ServiceCookie, language: string): NonNullable<DeclarationRow['cookie']> {
  const { name, purpose, duration } = cookie;
  const translated = translation<CookieTranslation>(cookie.translations, language);
  return { name, purpose: translated?.purpose ?? purpose, duration: translated?.duration ?? duration };
}

const translation = <T extends { language: string }>(
  translations: T[] | undefined,
  language: string,
): T | undefined => translations?.find((each) => each.language === language);
