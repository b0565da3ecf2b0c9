import { describe, expect, it } from '@jest/globals';
import { ReceiverCircuitBreaker } from '../../src/modules/forwarding/application/consent-forwarder.js';
import { FAILURES_IN_A_ROW } from '../../src/platform/delivery/domain/hold.js';
import type { HealthSignal } from '../../src/platform/delivery/domain/health-signal.js';
import { testSettings } from '../support/programs/service.js';

const PROJECT = 'a project';
const NEIGHBOR = 'another project';
const DOWN: HealthSignal = { kind: 'down', retryAfterMs: null };

/** All failures are at the instant 0. */
function makeCircuit(holdHours = '72') {
  const { forwarding } = testSettings('postgres://unused', { FORWARDING_HOLD_HOURS: holdHours });
  const circuit = new ReceiverCircuitBreaker(forwarding);
  const fails = (times: number, projectId = PROJECT): void => {
    for (let failure = 0; failure < times; failure += 1) circuit.record(projectId, DOWN, 0);
  };
  return { circuit, fails };
}

describe(ReceiverCircuitBreaker.name, () => {
  it('opens for a second after five failures of a project in a row, and not for other projects', () => {
    const { circuit, fails } = makeCircuit();
    fails(FAILURES_IN_A_ROW - 1);
    fails(1, NEIGHBOR);
    expect(circuit.waitMs(PROJECT, 0)).toBe(0);
    fails(1);
    expect([0, 999, 1_000].map((nowMs) => circuit.waitMs(PROJECT, nowMs))).toEqual([1_000, 1, 0]);
    expect(circuit.waitMs(NEIGHBOR, 0)).toBe(0);
  });

  it('closes and counts from zero after a success', () => {
    const { circuit, fails } = makeCircuit();
    fails(FAILURES_IN_A_ROW - 1);
    circuit.record(PROJECT, { kind: 'up' }, 0);
    fails(FAILURES_IN_A_ROW - 1);
    expect(circuit.waitMs(PROJECT, 0)).toBe(0);
    fails(1);
    expect(circuit.waitMs(PROJECT, 0)).toBeGreaterThan(0);
    circuit.record(PROJECT, { kind: 'up' }, 0);
    expect(circuit.waitMs(PROJECT, 0)).toBe(0);
  });

  it.each<HealthSignal>([{ kind: 'unclear' }, { kind: 'untried' }, { kind: 'elsewhere' }])(
    'ignores an outcome that is %j',
    (health) => {
      const { circuit, fails } = makeCircuit();
      fails(FAILURES_IN_A_ROW - 1);
      circuit.record(PROJECT, health, 0);
      expect(circuit.waitMs(PROJECT, 0)).toBe(0);
      fails(1);
      expect(circuit.waitMs(PROJECT, 0)).toBeGreaterThan(0);
    },
  );

  it('never opens if holds are off', () => {
    const { circuit, fails } = makeCircuit('0');
    fails(2 * FAILURES_IN_A_ROW);
    expect(circuit.waitMs(PROJECT, 0)).toBe(0);
  });
});
