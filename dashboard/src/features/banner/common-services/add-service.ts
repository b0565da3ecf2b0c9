import { CATEGORIES, type Configuration, type SiteService } from '../configuration';
import type { CommonService } from './services';
import { lifetimeIn, purposeIn, wordLanguage } from './words';

/**
 * The changes that add a common service: its declaration in the banner's languages, its category, and rules that block its
 * requests until consent.
 */
export function addCommonService(
  { services, categories, blocking, defaultLanguage, texts }: Configuration,
  service: CommonService,
): Pick<Configuration, 'services' | 'categories' | 'blocking'> {
  const { name, provider, category, policyUrl, cookies, hosts } = service;
  const rules = blocking.rules ?? [];
  const added: SiteService = {
    name,
    provider,
    category,
    policyUrl,
    cookies: cookies.map((cookie) => declare(cookie, defaultLanguage, texts)),
    translations: [],
  };
  if (category === 'necessary') return { services: [...services, added], categories, blocking };
  return {
    services: [...services, added],
    categories: CATEGORIES.filter((each) => each === category || categories.includes(each)),
    blocking: {
      ...blocking,
      rules: [
        ...rules,
        ...hosts
          .filter(
            ({ host, path }) => !rules.some((rule) => rule.host === host && (rule.path ?? null) === path),
          )
          .map((each) => ({ ...each, category })),
      ],
    },
  };
}

function declare(
  { name, lifetime, purpose }: CommonService['cookies'][number],
  defaultLanguage: string,
  texts: Configuration['texts'],
): NonNullable<SiteService['cookies']>[number] {
  const words = (tag: string) => {
    const language = wordLanguage(tag);
    return language && { duration: lifetimeIn(language, lifetime), purpose: purposeIn(language, purpose) };
  };
  return {
    name,
    ...(words(defaultLanguage) ?? {
      duration: lifetimeIn('en', lifetime),
      purpose: purposeIn('en', purpose),
    }),
    translations: texts.flatMap(({ language }) => {
      const own = language === defaultLanguage ? null : words(language);
      return own ? [{ language, ...own }] : [];
    }),
  };
}
