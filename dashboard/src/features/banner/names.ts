import { t } from '../../texts/texts';

const languages = new Intl.DisplayNames(t.language, { type: 'language', fallback: 'code' });
const regions = new Intl.DisplayNames(t.language, { type: 'region', fallback: 'code' });

/** `German (de)`; an unknown tag is shown as it is. */
export function languageName(tag: string): string {
  try {
    const name = languages.of(tag);
    return name === undefined || name === tag ? tag : `${name} (${tag})`;
  } catch {
    return tag;
  }
}

/** `Germany`, `United States: CA`; the API's own codes in words. */
export function regionName(code: string): string {
  if (code === 'XX') return t.banner.unknownRegion;
  if (code === 'EU') return t.banner.euRegion;
  const [country = '', part] = code.split('-');
  try {
    const name = regions.of(country) ?? country;
    return part === undefined ? name : `${name}: ${part}`;
  } catch {
    return code;
  }
}
