/** Longest periods of one response, which bounds its size. */
export const ANALYTICS_DAYS_MAX = { hour: 31, day: 731 } as const;
/** Actions and hostnames listed in one response, the most frequent first; the others are counted together. */
export const ANALYTICS_GROUPS_MAX = 100;

/**
 * Names with their own count in one project and hour or day. Anyone can send a consent with any
 * name. Further names are counted as `OTHER_NAME`, which bounds the number of rows.
 */
export const ROLLUP_ACTIONS_MAX = 30;
export const ROLLUP_HOSTNAMES_MAX = 100;
/** Enough for every country, and for the states of a country that is sent with subdivisions. */
export const ROLLUP_REGIONS_MAX = 300;
/** More languages than any known banner has. */
export const ROLLUP_LANGUAGES_MAX = 100;
/** Counts everything without its own name. No action or hostname can have this value. */
export const OTHER_NAME = '*';
/** Documented actions. They always have their own count. */
export const DOCUMENTED_ACTIONS = ['accept_all', 'reject_all', 'custom', 'withdraw', 'opt_out', 'dismiss'];

export type AnalyticsInterval = keyof typeof ANALYTICS_DAYS_MAX;

/** The dimensions that are counted separately (ADR 12), and the intervals. */
export const AUDIENCE_DIMENSIONS = ['region', 'language'] as const;
export const AUDIENCE_SPANS = ['hour', 'day'] as const satisfies AnalyticsInterval[];

/** How many records there are, and how many choices of each kind. */
export interface ConsentCounts {
  records: number;
  /**
   * Choices of visitors who got a consent request: all but dismissed notices and browser signals
   * (GPC). Of one device (visitor key) and day in UTC, only the last one counts.
   */
  asked: number;
  /** Of those, choices that grant the category. */
  analytics: number;
  marketing: number;
  preferences: number;
  /** All three categories granted, or all that were offered (the action `accept_all`). */
  fullAccept: number;
  /** No category granted, and not a withdrawal. */
  rejection: number;
  /** The action `withdraw`. */
  withdrawal: number;
}

/** Shares of the choices (`asked`), from 0 to 1; null without any. */
export type ConsentRates = Record<Exclude<keyof ConsentCounts, 'records' | 'asked'>, number | null>;

export const NO_RECORDS: ConsentCounts = {
  records: 0,
  asked: 0,
  analytics: 0,
  marketing: 0,
  preferences: 0,
  fullAccept: 0,
  rejection: 0,
  withdrawal: 0,
};

/** Decimal places; more would be noise. */
const RATE_DIGITS = 4;

export function ratesOf({
  asked,
  analytics,
  marketing,
  preferences,
  fullAccept,
  rejection,
  withdrawal,
}: ConsentCounts): ConsentRates {
  const share = (part: number): number | null => shareOf(part, asked);
  return {
    analytics: share(analytics),
    marketing: share(marketing),
    preferences: share(preferences),
    fullAccept: share(fullAccept),
    rejection: share(rejection),
    withdrawal: share(withdrawal),
  };
}

/** A rounded share; null if `whole` is 0. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Number((part / whole).toFixed(RATE_DIGITS));
}

/**
 * A well-formed BCP 47 tag in the usual spelling (RFC 5646 §2.1.1): regions in capitals, scripts
 * capitalized, everything else in lower case. Counts ignore case.
 */
export function writtenTag(tag: string): string {
  const [language = '', ...rest] = tag.toLowerCase().split('-');
  const extension = rest.findIndex((part) => part.length === 1);
  return [
    language,
    ...rest.map((part, place) => {
      if (extension >= 0 && place > extension) return part;
      if (part.length === 2) return part.toUpperCase();
      return /^[a-z]{4}$/.test(part) ? `${part.charAt(0).toUpperCase()}${part.slice(1)}` : part;
    }),
  ].join('-');
}

const STEP_MS = { hour: 60 * 60 * 1000, day: 24 * 60 * 60 * 1000 } as const;

/** The starts of all intervals that overlap a period, in UTC; `to` is exclusive. */
export function intervalStarts(from: Date, to: Date, interval: AnalyticsInterval): Date[] {
  const stepMs = STEP_MS[interval];
  const firstMs = Math.floor(from.getTime() / stepMs) * stepMs;
  const count = Math.max(0, Math.ceil((to.getTime() - firstMs) / stepMs));
  return Array.from({ length: count }, (_, index) => new Date(firstMs + index * stepMs));
}

/** Whether a period is short enough for its interval. */
export function isPeriodAllowed(from: Date, to: Date, interval: AnalyticsInterval): boolean {
  return to.getTime() - from.getTime() <= ANALYTICS_DAYS_MAX[interval] * STEP_MS.day;
}

/**
 * Sources of the counts at the end of a period: whole intervals before `intervalsTo`, then whole
 * hours before `hoursTo`, then single records before `to`.
 */
export interface CountBounds {
  intervalsTo: Date;
  hoursTo: Date;
  to: Date;
}

/**
 * A period that ended in the past is counted up to its exact end, so that a current period can be
 * compared with an equally long past one. For a current period, the rollups hold nothing after its
 * end.
 */
export function countBounds(to: Date, interval: AnalyticsInterval, now: Date): CountBounds {
  if (to >= now) return { intervalsTo: to, hoursTo: to, to };
  return { intervalsTo: startOf(to, interval), hoursTo: startOf(to, 'hour'), to };
}

/** Start of the interval that contains an instant, in UTC. */
function startOf(at: Date, interval: AnalyticsInterval): Date {
  return intervalStarts(at, new Date(at.getTime() + 1), interval)[0] ?? at;
}
