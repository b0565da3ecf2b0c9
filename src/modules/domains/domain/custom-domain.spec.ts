import { describe, expect, it } from '@jest/globals';
import {
  advanceLife,
  CHECK_DAILY_MS,
  CHECK_SOON_MS,
  type CheckResult,
  type DomainLife,
  GOOD_FOR_MS,
  stateEndsAt,
} from './custom-domain.js';

const NOW = new Date('2026-12-01T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);
const life = (given: Partial<DomainLife>): DomainLife => ({
  state: 'pending',
  stateSince: ago(HOUR),
  goodAt: null,
  warnedAt: null,
  seen: false,
  ...given,
});
const after = (given: Partial<DomainLife>, result: CheckResult) => advanceLife(life(given), result, NOW);
/** State, notice and time to the next check. */
const outcome = (given: Partial<DomainLife>, result: CheckResult): unknown[] => {
  const next = after(given, result);
  return next.kind === 'released' ? ['released'] : [next.life.state, next.notice, next.checkInMs];
};

describe('a good check', () => {
  it('verifies a pending host, and keeps when that was', () => {
    expect(after({}, 'good')).toEqual({
      kind: 'kept',
      life: life({ state: 'verified', stateSince: NOW, goodAt: NOW }),
      notice: null,
      checkInMs: CHECK_DAILY_MS,
    });
  });

  it.each(['failing', 'suspended'] as const)('restores a %s host, active if it was ever seen', (state) => {
    const given = { state, warnedAt: ago(HOUR) };
    expect(outcome(given, 'good')).toEqual(['verified', null, CHECK_DAILY_MS]);
    const seen = after({ ...given, seen: true }, 'good');
    expect(seen).toMatchObject({ life: { state: 'active', stateSince: NOW, warnedAt: null } });
  });

  it.each(['verified', 'active'] as const)('leaves since when a host has been %s', (state) => {
    expect(after({ state, stateSince: ago(9 * DAY), goodAt: ago(DAY) }, 'good')).toMatchObject({
      life: { state, stateSince: ago(9 * DAY), goodAt: NOW },
    });
  });

  it('is repeated before it is outdated', () => {
    expect(CHECK_DAILY_MS + 3 * CHECK_SOON_MS).toBeLessThan(GOOD_FOR_MS);
  });
});

describe('a pending host', () => {
  it.each(['bad', 'unclear'] as const)('stays pending after a check that is %s', (result) => {
    expect(outcome({ stateSince: ago(30 * DAY - 1) }, result)).toEqual(['pending', null, CHECK_SOON_MS]);
  });

  it('is released after 30 days', () => {
    expect(outcome({ stateSince: ago(30 * DAY) }, 'bad')).toEqual(['released']);
    expect(outcome({ stateSince: ago(30 * DAY) }, 'good')).toEqual(['verified', null, CHECK_DAILY_MS]);
  });
});

describe.each(['verified', 'active'] as const)('a host that is %s', (state) => {
  it('fails at once after a bad check, and owners are mailed', () => {
    expect(outcome({ state, goodAt: ago(1) }, 'bad')).toEqual(['failing', 'failing', CHECK_SOON_MS]);
  });

  it('survives unclear checks for 24 hours', () => {
    expect(outcome({ state, goodAt: ago(DAY - 1) }, 'unclear')).toEqual([state, null, CHECK_SOON_MS]);
    expect(outcome({ state, goodAt: ago(DAY) }, 'unclear')).toEqual(['failing', 'failing', CHECK_SOON_MS]);
  });
});

describe('a failing host', () => {
  const state = 'failing';

  it('is announced to be suspended after six days, once', () => {
    expect(outcome({ state, stateSince: ago(6 * DAY - 1) }, 'bad')).toEqual([state, null, CHECK_SOON_MS]);
    const warned = after({ state, stateSince: ago(6 * DAY) }, 'unclear');
    expect(warned).toMatchObject({ life: { state, warnedAt: NOW }, notice: 'suspending' });
    expect(outcome({ state, stateSince: ago(6 * DAY), warnedAt: ago(1) }, 'bad')).toEqual([
      state,
      null,
      CHECK_SOON_MS,
    ]);
  });

  it('is suspended after seven days, without another mail', () => {
    const given = { state, warnedAt: ago(DAY) } as const;
    expect(outcome({ ...given, stateSince: ago(7 * DAY - 1) }, 'bad')[0]).toBe('failing');
    expect(outcome({ ...given, stateSince: ago(7 * DAY) }, 'bad')).toEqual([
      'suspended',
      null,
      CHECK_DAILY_MS,
    ]);
  });

  it('is never suspended within a day of the mail, however late checks are', () => {
    const given = { state, stateSince: ago(20 * DAY) } as const;
    expect(outcome(given, 'bad')).toEqual(['failing', 'suspending', CHECK_SOON_MS]);
    expect(outcome({ ...given, warnedAt: ago(DAY - 1) }, 'bad')[0]).toBe('failing');
    expect(outcome({ ...given, warnedAt: ago(DAY) }, 'bad')[0]).toBe('suspended');
  });
});

describe('a suspended host', () => {
  const state = 'suspended';

  it('is announced to be released after 27 days', () => {
    expect(outcome({ state, stateSince: ago(27 * DAY - 1) }, 'bad')).toEqual([state, null, CHECK_DAILY_MS]);
    expect(outcome({ state, stateSince: ago(27 * DAY) }, 'bad')).toEqual([
      state,
      'releasing',
      CHECK_DAILY_MS,
    ]);
  });

  it('is released after 30 days, three of them after the mail', () => {
    const given = { state, warnedAt: ago(3 * DAY) } as const;
    expect(outcome({ ...given, stateSince: ago(30 * DAY - 1) }, 'bad')[0]).toBe('suspended');
    expect(outcome({ ...given, stateSince: ago(30 * DAY) }, 'bad')).toEqual(['released']);
    const late = { state, stateSince: ago(90 * DAY), warnedAt: ago(3 * DAY - 1) } as const;
    expect(outcome(late, 'bad')[0]).toBe('suspended');
  });
});

it('shows when a state ends', () => {
  const stateSince = ago(0);
  const days = (state: DomainLife['state']): number | null => {
    const at = stateEndsAt({ state, stateSince });
    return at && (at.getTime() - NOW.getTime()) / DAY;
  };
  expect([days('pending'), days('failing'), days('suspended'), days('active')]).toEqual([30, 7, 30, null]);
});
