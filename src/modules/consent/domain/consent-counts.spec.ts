import { describe, expect, it } from '@jest/globals';
import {
  ANALYTICS_DAYS_MAX,
  intervalStarts,
  isPeriodAllowed,
  NO_RECORDS,
  ratesOf,
  writtenTag,
  countBounds,
} from './consent-counts.js';

const at = (text: string): Date => new Date(`${text}Z`);

describe(ratesOf.name, () => {
  it('divides by the visitors asked and rounds to four digits', () => {
    const counts = { ...NO_RECORDS, records: 5, asked: 3, analytics: 1, fullAccept: 3 };
    expect(ratesOf(counts)).toEqual({
      analytics: 0.3333,
      marketing: 0,
      preferences: 0,
      fullAccept: 1,
      rejection: 0,
      withdrawal: 0,
    });
  });

  it('has no rates where there are no records', () => {
    expect(Object.values(ratesOf(NO_RECORDS))).toEqual([null, null, null, null, null, null]);
  });
});

describe(intervalStarts.name, () => {
  it('begins with the interval that holds the first instant and leaves the last instant out', () => {
    expect(intervalStarts(at('2026-11-20T10:30:00'), at('2026-11-20T13:00:00'), 'hour')).toEqual(
      ['10', '11', '12'].map((hour) => at(`2026-11-20T${hour}:00:00`)),
    );
    expect(intervalStarts(at('2026-11-20T10:30:00'), at('2026-11-21T00:00:00.001'), 'day')).toHaveLength(2);
    expect(intervalStarts(at('2026-11-20T00:00:00'), at('2026-11-20T00:00:00'), 'day')).toEqual([]);
  });
});

describe(isPeriodAllowed.name, () => {
  it.each(['hour', 'day'] as const)('takes the longest period by %s and nothing longer', (interval) => {
    const from = at('2024-01-01T00:00:00');
    const longest = new Date(from.getTime() + ANALYTICS_DAYS_MAX[interval] * 24 * 60 * 60 * 1000);
    expect(isPeriodAllowed(from, longest, interval)).toBe(true);
    expect(isPeriodAllowed(from, new Date(longest.getTime() + 1), interval)).toBe(false);
  });
});

describe(writtenTag.name, () => {
  it.each([
    ['DE', 'de'],
    ['pt-br', 'pt-BR'],
    ['ZH-HANT-tw', 'zh-Hant-TW'],
    ['es-419', 'es-419'],
    ['de-ch-1901', 'de-CH-1901'],
    ['de-ch-U-CO-phonebk', 'de-CH-u-co-phonebk'],
    ['en-x-Us-Here', 'en-x-us-here'],
  ])('writes %s as %s', (tag, written) => {
    expect(writtenTag(tag)).toBe(written);
  });
});

const NOW = new Date('2026-11-24T04:36:00Z');
const inNovember = (text: string): Date => at(`2026-11-${text}`);

describe(countBounds.name, () => {
  it.each([
    ['an instant of a past day', 'day', '23T04:36:07.250', ['23T00:00:00', '23T04:00:00']],
    ['the start of a past day', 'day', '23T00:00:00', ['23T00:00:00', '23T00:00:00']],
    ['the last millisecond of a past day', 'day', '22T23:59:59.999', ['22T00:00:00', '22T23:00:00']],
    ['a full hour of a past day', 'day', '23T04:00:00', ['23T00:00:00', '23T04:00:00']],
    ['an instant of a past hour', 'hour', '23T04:36:07.250', ['23T04:00:00', '23T04:00:00']],
    ['the last millisecond before now', 'day', '24T04:35:59.999', ['24T00:00:00', '24T04:00:00']],
  ] as const)('ends at %s with its hours and its records', (_, interval, to, [intervalsTo, hoursTo]) => {
    expect(countBounds(inNovember(to), interval, NOW)).toEqual({
      intervalsTo: inNovember(intervalsTo),
      hoursTo: inNovember(hoursTo),
      to: inNovember(to),
    });
  });

  it.each(['24T04:36:00', '24T04:37:00', '25T00:00:00'])(
    'takes whole intervals up to %s, which is not past',
    (to) => {
      expect(countBounds(inNovember(to), 'day', NOW)).toEqual({
        intervalsTo: inNovember(to),
        hoursTo: inNovember(to),
        to: inNovember(to),
      });
    },
  );
});
