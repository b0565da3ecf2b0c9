import { gzipSync } from 'node:zlib';
import { type BannerText, COUNT_LABELS, type Labels, PAGE_LABELS, SEARCH_LABELS } from './banner-text.js';
import type { ServiceCookie, SiteService } from './configuration.js';
import type { SiteDocument } from './document.js';

/** Limit of a visitor's downloads before the banner is visible, gzipped: the configuration and one language. */
export const VISITOR_BYTES_MAX = 2_500;

/** Labels of the second layer, of placeholders, and of the offer to reload. */
const DETAIL_LABELS: readonly (keyof Labels)[] = [
  'necessaryTitle',
  'necessaryDescription',
  'services',
  'controller',
  'consentId',
  'copy',
  'download',
  'withdraw',
  'erase',
  'eraseQuestion',
  'failed',
  ...PAGE_LABELS,
  ...COUNT_LABELS,
  ...SEARCH_LABELS,
];

/** A document as `config.json` has it; small ones are published unchanged. */
export type VisitorConfiguration = SiteDocument & {
  /**
   * The languages of the banner. If present, `texts` has only the default language, without the texts of the second
   * layer such as descriptions of categories, and `services` have no texts: files have the rest (`LanguageFile`).
   */
  languages?: string[];
};

/** A file with texts of one language; it never changes under its name. */
interface LanguageFile {
  name: string;
  body: string;
}

export interface VisitorFiles {
  configuration: VisitorConfiguration;
  /** Empty if the configuration has all texts. */
  files: LanguageFile[];
}

/** The name of a language file, with the hash of the whole document, which covers its content. */
export const LANGUAGE_FILE = /^(?:text|details)-[0-9a-f]{64}-[A-Za-z0-9-]+\.json$/;

/**
 * The files in which visitors get a document. With our banner, a document that is too large for one
 * file is divided: `text-…` has the first layer in another language, `details-…` the second layer.
 */
export function visitorFiles(document: SiteDocument): VisitorFiles {
  const { texts, services, defaultLanguage, configHash, banner } = document;
  if (!banner.enabled || gzippedBytes(document) <= VISITOR_BYTES_MAX)
    return { configuration: document, files: [] };
  const name = (kind: string, language: string): string => `${kind}-${configHash}-${language}.json`;
  const isDefault = ({ language }: BannerText): boolean => language === defaultLanguage;
  const languages = texts.map(({ language }) => language);
  return {
    configuration: {
      ...document,
      texts: texts.filter(isDefault).map(firstLayerText),
      services: services.map(servicePurpose),
      languages,
    },
    files: [
      ...texts
        .filter((text) => !isDefault(text))
        .map((text) => ({
          name: name('text', text.language),
          body: JSON.stringify(firstLayerText(text)),
        })),
      ...texts.map((text) => ({
        name: name('details', text.language),
        body: JSON.stringify(detailsIn(text, document)),
      })),
    ],
  };
}

/** Gzipped size of a visitor's downloads in this language before the banner is visible. */
export interface VisitorBytes {
  language: string;
  bytes: number;
}

/** In the order of the languages. */
export function visitorBytes({ configuration, files }: VisitorFiles): VisitorBytes[] {
  const bytes = gzippedBytes(configuration);
  return (configuration.languages ?? configuration.texts.map(({ language }) => language)).map((language) => {
    const file = files.find(({ name }) => name === `text-${configuration.configHash}-${language}.json`);
    return { language, bytes: bytes + (file ? gzippedBytes(file.body) : 0) };
  });
}

function gzippedBytes(content: string | object): number {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  return gzipSync(body, { level: 9 }).length;
}

function firstLayerText(text: BannerText): BannerText {
  return {
    ...text,
    categories: text.categories.map(({ key, title }) => ({ key, title })) as BannerText['categories'],
    labels: onlyLabels(text.labels, (name) => !DETAIL_LABELS.includes(name)),
  };
}

/** For counting partners, deleting cookies and granting by service. */
function servicePurpose({ id, category, cookies }: SiteService): SiteService {
  return {
    ...(id !== undefined && { id }),
    category,
    cookies: cookies.map(({ name }) => ({ name })),
  } as SiteService;
}

/** The second layer in one language. A category without texts in it gets the default language's. */
function detailsIn(
  { language, labels, categories }: BannerText,
  { texts, defaultLanguage, services }: SiteDocument,
): Pick<BannerText, 'categories' | 'labels'> & { services: SiteService[] } {
  const fallback = texts.find((text) => text.language === defaultLanguage)?.categories ?? [];
  return {
    categories: [
      ...categories,
      ...fallback.filter(({ key }) => !categories.some((category) => category.key === key)),
    ],
    labels: onlyLabels(labels, (name) => DETAIL_LABELS.includes(name)),
    services: services.map((service) => ({
      ...inLanguage(service, language),
      cookies: service.cookies.map((cookie): ServiceCookie => inLanguage(cookie, language)),
    })),
  };
}

function onlyLabels(
  labels: BannerText['labels'],
  isWanted: (name: keyof Labels) => boolean,
): BannerText['labels'] {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => isWanted(name as keyof Labels)));
}

/** Only the translations into one language; a document leaves empty lists out. */
function inLanguage<T extends { translations: { language: string }[] }>(
  { translations, ...rest }: T,
  language: string,
): T {
  const translation = (translations as T['translations'] | undefined)?.find(
    (each) => each.language === language,
  );
  return { ...rest, ...(translation && { translations: [translation] }) } as unknown as T;
}
