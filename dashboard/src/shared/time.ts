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

/** The zone's IANA name, as the API takes it. */
export function timeZoneName(zone: Zone): string {
  if (zone === 'utc') return 'UTC';
  // Where there is Temporal: the first format of all takes as long as 60 ms, and the page's first requests wait for this.
  const { Temporal } = globalThis as { Temporal?: { Now: { timeZoneId: () => string } } };
  return Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

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
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function kept<T>(formats: Map<string, T>, key: string, make: () => T): T {
  const format = formats.get(key) ?? make();
  formats.set(key, format);
  return format;
}

function dateFormat(language: string, zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const all = { ...options, ...(zone === 'utc' && { timeZone: 'UTC' }) };
  const make = (): Intl.DateTimeFormat => new Intl.DateTimeFormat(language, all);
  return kept(dateFormats, `${language} ${JSON.stringify(all)}`, make);
}

/** The whole instant to the second, with its zone. */
export function absoluteTime(at: Date, zone: Zone, language: string): string {
  return dateFormat(language, zone, { dateStyle: 'medium', timeStyle: 'long' }).format(at);
}

/** `02:14` of an instant of today, and with its day otherwise: `Nov 21, 02:14`. */
export function clockTime(
  at: Date,
  {
    zone,
    now,
    language,
    withSeconds = false,
  }: { zone: Zone; now: Date; language: string; withSeconds?: boolean },
): string {
  const isToday = dayText(at, zone) === dayText(now, zone);
  return dateFormat(language, zone, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(withSeconds && { second: '2-digit' }),
    ...(!isToday && { day: 'numeric', month: 'short' }),
  }).format(at);
}

/** `Nov 21, 2026` of an instant. */
export function dateOf(at: Date, zone: Zone, language: string): string {
  return dateFormat(language, zone, { dateStyle: 'medium' }).format(at);
}

/** `Nov 21` of an instant. */
export function shortDay(at: Date, zone: Zone, language: string): string {
  return dateFormat(language, zone, { day: 'numeric', month: 'short' }).format(at);
}

/** `2026-11-21` for a time, and back: the value of a date field, in the user's zone. */
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
