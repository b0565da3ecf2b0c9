/** Which clock the person reads instants by. */
export type Zone = 'local' | 'utc';

const SECOND_MS = 1_000;
/** The largest unit that a span fills is shown. */
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400 * SECOND_MS],
  ['month', 30 * 86_400 * SECOND_MS],
  ['day', 86_400 * SECOND_MS],
  ['hour', 3_600 * SECOND_MS],
  ['minute', 60 * SECOND_MS],
  ['second', SECOND_MS],
];

/** "2 minutes ago", "in 3 days"; spans below a second are "now". */
export function relativeTime(at: Date, now: Date, language: string): string {
  const spanMs = at.getTime() - now.getTime();
  const [unit, unitMs] = UNITS.find(([, ms]) => Math.abs(spanMs) >= ms) ?? ['second', Infinity];
  const format = kept(
    relativeFormats,
    language,
    () => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
  );
  return format.format(Math.trunc(spanMs / unitMs), unit);
}

/** To make a format takes longer than to use it, and a list uses one for each of its rows. */
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();
const absoluteFormats = new Map<string, Intl.DateTimeFormat>();

function kept<T>(formats: Map<string, T>, key: string, make: () => T): T {
  const format = formats.get(key) ?? make();
  formats.set(key, format);
  return format;
}

/** The whole instant to the second, with its zone. */
export function absoluteTime(at: Date, zone: Zone, language: string): string {
  const make = (): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(language, {
      dateStyle: 'medium',
      timeStyle: 'long',
      ...(zone === 'utc' && { timeZone: 'UTC' }),
    });
  return kept(absoluteFormats, `${language} ${zone}`, make).format(at);
}

/** `2026-11-21` of an instant, and back: what a date field holds, by the person's clock. */
export function dayText(at: Date, zone: Zone): string {
  const shifted = zone === 'utc' ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 10);
}

/** The period from the first to the last of two days, both of them whole; a day that is no day is left out. */
export function dayRange(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  zone: Zone,
): { from?: string; to?: string } {
  const first = from === undefined ? null : dayStart(from, zone);
  const behind = to === undefined ? null : dayStart(to, zone, 1);
  return { ...(first && { from: first.toISOString() }), ...(behind && { to: behind.toISOString() }) };
}

/** The instant at which the day of `text` begins, `days` later; null where `text` is no day. */
export function dayStart(text: string, zone: Zone, days = 0): Date | null {
  const [year, month, day] = text.split('-').map(Number);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || year === undefined || month === undefined || day === undefined)
    return null;
  return zone === 'utc'
    ? new Date(Date.UTC(year, month - 1, day + days))
    : new Date(year, month - 1, day + days);
}
