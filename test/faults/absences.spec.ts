import { describe, expect, it } from '@jest/globals';
import { CONSENT_RECORDED } from '../../src/modules/consent/domain/consent-recorded.js';
import { FORWARDING_HOLD } from '../../src/modules/forwarding/forwarding.events.js';
import { type Absence, wasted } from './absences.js';
import type { Claim } from './audit.js';

const PROJECT = 'the project';
const SINCE_MS = 100_000;
/** Long enough for one step of the back-off. */
const ABSENCE: Absence = {
  fromMs: SINCE_MS - 6_000,
  toMs: SINCE_MS + 12_000,
  heldSinceMs: new Map([[PROJECT, SINCE_MS]]),
  astray: [],
};

function claim(consentId: string, afterMs: number, also: Partial<Claim> = {}): Claim {
  const fromMs = SINCE_MS + afterMs;
  return {
    topic: CONSENT_RECORDED,
    projectId: PROJECT,
    consentId,
    worker: 0,
    fromMs,
    toMs: fromMs + 1_000,
    end: 'settled',
    ...also,
  };
}

describe('what an outage of a receiver costs', () => {
  it('is one record a step', () => {
    expect(wasted(ABSENCE, [claim('first', 5_500)])).toEqual([]);
    expect(wasted(ABSENCE, [claim('first', 5_500), claim('second', 8_000)])).toEqual([
      'project the project: 2 records in 1 steps',
      'first was sent while held',
      'second was sent while held',
    ]);
  });

  it('does not count the notification of the hold, which a killed worker may have claimed', () => {
    const news = claim(PROJECT, 1_500, { topic: FORWARDING_HOLD, end: 'taken_over' });
    expect(wasted(ABSENCE, [news, claim('first', 5_500)])).toEqual([]);
  });

  it('does not count what was released, or claimed as the hold began', () => {
    const claims = [claim('before', 900), claim('released', 3_000, { end: 'released' }), claim('one', 5_500)];
    expect(wasted(ABSENCE, claims)).toEqual([]);
  });
});
