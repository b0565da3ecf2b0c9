import { describe, expect, it } from '@jest/globals';
import { ReceiverWatch } from '../../src/forwarding/application/receiver-watch.js';
import { FAILURES_IN_A_ROW } from '../../src/forwarding/domain/hold.js';
import type { HealthSignal } from '../../src/forwarding/domain/health-signal.js';
import { testSettings } from '../support/service.js';

const PROJECT = 'a project';
const NEIGHBOR = 'another project';
const DOWN: HealthSignal = { kind: 'down', retryAfterMs: null };

/** A watch with what it hears, at the instant 0. */
function makeWatch(holdHours = '72') {
  const { forwarding } = testSettings('postgres://unused', { FORWARDING_HOLD_HOURS: holdHours });
  const watch = new ReceiverWatch(forwarding);
  const fails = (times: number, projectId = PROJECT): void => {
    for (let failure = 0; failure < times; failure += 1) watch.heard(projectId, DOWN, 0);
  };
  return { watch, fails };
}

describe(ReceiverWatch.name, () => {
  it('pauses a project for a second after five failures in a row, and its neighbors not at all', () => {
    const { watch, fails } = makeWatch();
    fails(FAILURES_IN_A_ROW - 1);
    fails(1, NEIGHBOR);
    expect(watch.pauseMs(PROJECT, 0)).toBe(0);
    fails(1);
    expect([0, 999, 1_000].map((nowMs) => watch.pauseMs(PROJECT, nowMs))).toEqual([1_000, 1, 0]);
    expect(watch.pauseMs(NEIGHBOR, 0)).toBe(0);
  });

  it('counts from the beginning after a success between failures, and sends again at once', () => {
    const { watch, fails } = makeWatch();
    fails(FAILURES_IN_A_ROW - 1);
    watch.heard(PROJECT, { kind: 'up' }, 0);
    fails(FAILURES_IN_A_ROW - 1);
    expect(watch.pauseMs(PROJECT, 0)).toBe(0);
    fails(1);
    expect(watch.pauseMs(PROJECT, 0)).toBeGreaterThan(0);
    watch.heard(PROJECT, { kind: 'up' }, 0);
    expect(watch.pauseMs(PROJECT, 0)).toBe(0);
  });

  it.each<HealthSignal>([{ kind: 'unclear' }, { kind: 'untried' }, { kind: 'elsewhere' }])(
    'neither counts an outcome that is %j nor starts again because of it',
    (health) => {
      const { watch, fails } = makeWatch();
      fails(FAILURES_IN_A_ROW - 1);
      watch.heard(PROJECT, health, 0);
      expect(watch.pauseMs(PROJECT, 0)).toBe(0);
      fails(1);
      expect(watch.pauseMs(PROJECT, 0)).toBeGreaterThan(0);
    },
  );

  it('pauses nothing by itself where holds are switched off', () => {
    const { watch, fails } = makeWatch('0');
    fails(2 * FAILURES_IN_A_ROW);
    expect(watch.pauseMs(PROJECT, 0)).toBe(0);
  });
});
