import { locale, t } from '../i18n/i18n';

/** Not constants, because shared modules are evaluated before the language is loaded. */
const displayNames = (type: 'language' | 'region'): Intl.DisplayNames =>
  new Intl.DisplayNames(locale, { type, fallback: 'code' });

/** `German (de)`; an unknown tag is unchanged. */
export function languageName(tag: string): string {
  try {
    const name = displayNames('language').of(tag);
    return name === undefined || name === tag ? tag : `${name} (${tag})`;
  } catch {
    return tag;
  }
}

/** `Germany`, `United States: CA`; the API's own codes in words. */
export function regionName(code: string): string {
  if (code === 'XX') return t('banner.unknownRegion');
  if (code === 'EU') return t('banner.euRegion');
  const [country = '', part] = code.split('-');
  try {
    const name = displayNames('region').of(country) ?? country;
    return part === undefined ? name : `${name}: ${part}`;
  } catch {
    return code;
  }
}
