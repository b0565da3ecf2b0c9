const SECONDS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 7 * 86_400,
  month: 30.44 * 86_400,
  year: 365.25 * 86_400,
};

/** Words for the units, in the languages of the banner's default texts. */
const UNITS: readonly [RegExp, string][] = [
  [/^(s|secs?|seconds?|sekunden?)$/, 'second'],
  [/^(mins?|minutes?|minuten?)$/, 'minute'],
  [/^(h|hrs?|hours?|stunden?)$/, 'hour'],
  [/^(d|days?|tage?n?)$/, 'day'],
  [/^(w|weeks?|wochen?)$/, 'week'],
  [/^(months?|monate?n?)$/, 'month'],
  [/^(y|yrs?|years?|jahre?n?)$/, 'year'],
];
const SESSION = /^(the )?(session|sitzung)( ?cookie|s?ende)?$/;
const AMOUNT = /^(\d+(?:[.,]\d+)?|an?|one|eine?)\s*([a-z]+)$/;

/** A duration declared by an owner, in seconds; 0: the session. null: not recognized. */
export function parseDuration(text: string): number | null {
  const words = text.trim().toLowerCase().replace(/\.$/, '');
  if (SESSION.test(words)) return 0;
  const [, amount = '', word = ''] = AMOUNT.exec(words) ?? [];
  const unit = UNITS.find(([pattern]) => pattern.test(word))?.[1];
  if (unit === undefined) return null;
  const count = /\d/.test(amount) ? Number(amount.replace(',', '.')) : 1;
  return count * (SECONDS[unit] ?? 0);
}

/** Months and years have different lengths, and browsers round. */
const TOLERANCE = 1.05;
const TOLERANCE_SECONDS = 3600;

/** Whether a lifetime exceeds the declared one by more than rounding. null: with the session. */
export function isLonger(lifetimeSeconds: number | null, declaredSeconds: number): boolean {
  return lifetimeSeconds !== null && lifetimeSeconds > declaredSeconds * TOLERANCE + TOLERANCE_SECONDS;
}
