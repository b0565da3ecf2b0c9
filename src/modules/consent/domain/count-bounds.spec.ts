import { describe, expect, it } from '@jest/globals';
import { countBounds } from './count-bounds.js';

const NOW = new Date('2026-11-24T04:36:00Z');
const at = (text: string): Date => new Date(`2026-11-${text}Z`);

describe(countBounds.name, () => {
  it.each([
    ['an instant of a past day', 'day', '23T04:36:07.250', ['23T00:00:00', '23T04:00:00']],
    ['the start of a past day', 'day', '23T00:00:00', ['23T00:00:00', '23T00:00:00']],
    ['the last millisecond of a past day', 'day', '22T23:59:59.999', ['22T00:00:00', '22T23:00:00']],
    ['a full hour of a past day', 'day', '23T04:00:00', ['23T00:00:00', '23T04:00:00']],
    ['an instant of a past hour', 'hour', '23T04:36:07.250', ['23T04:00:00', '23T04:00:00']],
    ['the last millisecond before now', 'day', '24T04:35:59.999', ['24T00:00:00', '24T04:00:00']],
  ] as const)('ends at %s with its hours and its records', (_, interval, to, [intervalsTo, hoursTo]) => {
    expect(countBounds(at(to), interval, NOW)).toEqual({
      intervalsTo: at(intervalsTo),
      hoursTo: at(hoursTo),
      to: at(to),
    });
  });

  it.each(['24T04:36:00', '24T04:37:00', '25T00:00:00'])(
    'takes whole intervals up to %s, which is not past',
    (to) => {
      expect(countBounds(at(to), 'day', NOW)).toEqual({ intervalsTo: at(to), hoursTo: at(to), to: at(to) });
    },
  );
});
