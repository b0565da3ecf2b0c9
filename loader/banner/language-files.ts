/**
 * Texts that are published in files by language, where the configuration has only the default language's first layer
 * (src/modules/publishing/domain/visitor-files.ts). Without them the banner uses what the configuration has.
 */
import { pristineDocument } from '../pristine-document';
import type { BannerText, SiteConfiguration, SiteService } from '../site';
import { bannerAddress } from './address';
import { pickText } from './rules';

/** After this time the banner is shown without the file. */
const TIMEOUT_MS = 4000;

type Details = Pick<BannerText, 'categories' | 'labels'> & { services: SiteService[] };

const files = new Map<string, Promise<object | undefined>>();

/** The language of the page, of the browser, or the default one: the first that the banner has. */
export function pickLanguage({ texts, languages, defaultLanguage }: SiteConfiguration): string {
  const known = languages?.map((language) => ({ language })) ?? texts;
  const wanted = [pristineDocument('documentElement').lang, ...navigator.languages, defaultLanguage];
  return pickText(known, wanted)?.language ?? defaultLanguage;
}

/** Calls `use` with the first layer's text: at once if the configuration has it. */
export function withText(configuration: SiteConfiguration, use: (text: BannerText) => void): void {
  const { texts, languages } = configuration;
  const language = pickLanguage(configuration);
  const known = pickText(texts, [language]) as BannerText;
  if (!languages || known.language === language) use(known);
  else void load<BannerText>(configuration, 'text', language).then((text) => use(text ?? known));
}

/** Calls `use` with the second layer's texts and services: at once if the configuration has them. */
export function withDetails(
  { configuration, text }: { configuration: SiteConfiguration; text: BannerText },
  use: (details: Partial<Details>) => void,
): void {
  if (!configuration.languages) use({});
  else void load<Details>(configuration, 'details', text.language).then((details) => use(details ?? {}));
}

/** undefined where the file cannot be loaded; the next call tries again. */
function load<T extends object>(
  { configHash }: SiteConfiguration,
  kind: string,
  language: string,
): Promise<T | undefined> {
  const name = `${kind}-${configHash}-${language}.json`;
  const started = files.get(name) ?? fetchFile(name);
  files.set(name, started);
  void started.then((content) => content ?? files.delete(name));
  return started as Promise<T | undefined>;
}

function fetchFile(name: string): Promise<object | undefined> {
  const content = fetch(new URL(name, bannerAddress), { credentials: 'omit' })
    .then((response) => (response.ok ? (response.json() as Promise<object>) : undefined))
    // The file is one of ours, or a page that a proxy has put in its place.
    .then((file) => (file && 'labels' in file && 'categories' in file ? file : undefined))
    .catch(() => undefined);
  return Promise.race([
    content,
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), TIMEOUT_MS)),
  ]);
}
