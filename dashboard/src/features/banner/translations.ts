import type { Configuration, SiteService } from './configuration';

type Translation = { language: string } & Record<string, string | undefined>;

/** The words of a language with some changed. Empty ones are left out: the default language's are then shown. */
export function withTranslation<T extends { language: string }>(
  translations: T[] = [],
  language: string,
  changes: Partial<Omit<T, 'language'>>,
): T[] {
  const known = translations.find((each) => each.language === language);
  const changed = Object.fromEntries(
    Object.entries({ ...known, ...changes, language }).filter(([, words]) => words !== ''),
  ) as T;
  const isEmpty = Object.keys(changed).length === 1;
  if (!known) return isEmpty ? translations : [...translations, changed];
  return translations.flatMap((each) => (each !== known ? [each] : isEmpty ? [] : [changed]));
}

/** Another default language. The words of services that are translated into it change places with the original ones. */
export function withDefaultLanguage(
  { services, defaultLanguage }: Pick<Configuration, 'services' | 'defaultLanguage'>,
  language: string,
): Pick<Configuration, 'services' | 'defaultLanguage'> {
  const swap = <T extends { translations?: unknown[] }>(entry: T, names: (keyof T & string)[]): T => {
    const translations = (entry.translations ?? []) as Translation[];
    const wanted = translations.find((each) => each.language === language);
    const translated = names.filter((name) => wanted?.[name] !== undefined);
    if (translated.length === 0) return entry;
    const former = Object.fromEntries(translated.map((name) => [name, entry[name]]));
    return {
      ...entry,
      ...Object.fromEntries(translated.map((name) => [name, wanted?.[name]])),
      translations: [
        ...translations.filter((each) => each !== wanted && each.language !== defaultLanguage),
        { language: defaultLanguage, ...former },
      ],
    };
  };
  return {
    defaultLanguage: language,
    services: services.map((service: SiteService) => ({
      ...swap(service, ['name']),
      cookies: (service.cookies ?? []).map((cookie) => swap(cookie, ['duration', 'purpose'])),
    })),
  };
}
