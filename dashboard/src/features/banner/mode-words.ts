import { locale, t } from '../../i18n/i18n';
import { CATEGORIES, type Category, type Mode, type Modes, MODES } from './configuration';

/** `Opt-out for Analytics and Preferences, Opt-in for Marketing`. */
export function modesWords(modes: Modes): string {
  return byMode(modes, CATEGORIES)
    .map(([mode, categories]) =>
      categories.length === CATEGORIES.length
        ? t('rules.modeForAll', { mode: t(`banner.modes.${mode}`) })
        : t('rules.modeFor', { mode: t(`banner.modes.${mode}`), categories: listed(categories) }),
    )
    .join(', ');
}

/** `Marketing: off until the visitor opts in. Analytics and Preferences: …`; null where one mode holds. */
export function mixedModesWords(modes: Modes, offered: Category[]): string | null {
  const groups = byMode(modes, offered);
  if (groups.length < 2) return null;
  return groups
    .map(([mode, categories]) => `${listed(categories)}: ${t(`rules.effects.${mode}`)}.`)
    .join(' ');
}

function byMode(modes: Modes, categories: Category[]): [Mode, Category[]][] {
  return MODES.map((mode): [Mode, Category[]] => [
    mode,
    categories.filter((category) => modes[category] === mode),
  ]).filter(([, held]) => held.length > 0);
}

function listed(categories: Category[]): string {
  const names = categories.map((category) => t(`categories.${category}`));
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(names);
}
