import type { MessageLanguage } from '../messages/messages.js';

const LOCALES = { en: 'en-US', de: 'de-DE' } as const;

interface PlaceInTime {
  language: MessageLanguage;
  /** IANA name. */
  timeZone: string;
}

/** An instant in words of a language and time zone: `November 20, 2026`, `21:42`, both, and with weekday and seconds. */
export function dateAndTime(
  at: Date,
  { language, timeZone }: PlaceInTime,
): { date: string; time: string; text: string; full: string } {
  const format = (options: Intl.DateTimeFormatOptions): string =>
    // A 24-hour clock: the space before AM is not in the font.
    new Intl.DateTimeFormat(LOCALES[language], { timeZone, hourCycle: 'h23', ...options }).format(at);
  const [date, time] = [format({ dateStyle: 'long' }), format({ timeStyle: 'short' })];
  const clock = language === 'de' ? ' Uhr' : '';
  return {
    date,
    time,
    text: `${date}, ${time}${clock}`,
    full: `${format({ dateStyle: 'full' })}, ${format({ timeStyle: 'medium' })}${clock}`,
  };
}

/** `CET`, or the offset: American English names only American zones, so British names are tried too. */
export function zoneName(at: Date, { language, timeZone }: PlaceInTime): string {
  const names = [LOCALES[language], ...(language === 'en' ? ['en-GB'] : [])].map(
    (locale) =>
      new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
        .formatToParts(at)
        .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone,
  );
  return names.find((name) => !name.startsWith('GMT')) ?? names[0] ?? timeZone;
}

/** `Germany`, `California, United States`; a code that has no name stays. */
export function regionName(code: string, language: MessageLanguage): string {
  const [country = code] = code.split('-');
  const name = nameIn(language, 'region', country);
  return code === country ? name : `${name} (${code})`;
}

/** `German (Austria)`; a tag that has no name stays. */
export const languageName = (tag: string, language: MessageLanguage): string =>
  nameIn(language, 'language', tag);

function nameIn(language: MessageLanguage, type: 'region' | 'language', code: string): string {
  try {
    return new Intl.DisplayNames(LOCALES[language], { type, style: 'short' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** `Nov 27, 2026, 23:55`: for the thousands of instants of a table, with one formatter. */
export function shortTimes({ language, timeZone }: PlaceInTime): (at: Date) => string {
  const options = { timeZone, hourCycle: 'h23', dateStyle: 'medium', timeStyle: 'short' } as const;
  const format = new Intl.DateTimeFormat(LOCALES[language], options);
  return (at) => format.format(at);
}

const MIDNIGHT = '00:00';

/** `November 1 – 27, 2026` for whole days, else with times; `to` is excluded. */
export function periodInWords(from: Date, to: Date, { language, timeZone }: PlaceInTime): string {
  const isWhole = [from, to].every((at) => dateAndTime(at, { language, timeZone }).time === MIDNIGHT);
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    timeZone,
    hourCycle: 'h23',
    dateStyle: 'long',
    ...(!isWhole && { timeStyle: 'short' }),
  });
  // Narrow spaces are not in the font.
  return format.formatRange(from, isWhole ? new Date(to.getTime() - 1) : to).replaceAll(/\s/g, ' ');
}

/** `Central European Time`. */
export function zoneInWords(at: Date, { language, timeZone }: PlaceInTime): string {
  const format = new Intl.DateTimeFormat(LOCALES[language], { timeZone, timeZoneName: 'longGeneric' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  return name.startsWith('GMT') ? timeZone : name;
}
