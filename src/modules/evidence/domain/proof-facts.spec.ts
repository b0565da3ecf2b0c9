import { describe, expect, it } from '@jest/globals';
import { idAt } from '../../../platform/identity/ids.js';
import { contradictions } from './proof-facts.js';

const NOW = new Date('2026-11-28T12:00:00Z');
const at = (ms: number): Date => new Date(NOW.getTime() + ms);
const dates = { signedAt: at(60_000), createdAt: at(120_000) };
const record = (receivedAt: Date): Record<string, unknown> => ({
  id: idAt(NOW),
  receivedAt: receivedAt.toISOString(),
});

describe('dates of a proof', () => {
  it('contradict each other nowhere in a record that was stored before it was signed', () => {
    expect(contradictions(record(NOW), dates)).toEqual([]);
    expect(contradictions(record(at(61_000)), dates)).toEqual([]);
    expect(contradictions(record(NOW), { ...dates, signedAt: null })).toEqual([]);
    expect(contradictions({ action: 'erase', id: idAt(NOW), erasedAt: at(1).toISOString() }, dates)).toEqual(
      [],
    );
  });

  it('are named where a record is younger than its checkpoint, the page or what its id allows', () => {
    expect(contradictions(record(at(61_001)), dates)).toEqual([
      'The record says that it was stored after the checkpoint that contains it was signed.',
    ]);
    expect(contradictions(record(at(121_001)), dates)).toHaveLength(2);
    expect(contradictions(record(at(-30 * 86_400_000)), { ...dates, isImported: true })).toHaveLength(1);
    const [byId] = contradictions(record(at(-30 * 86_400_000)), dates);
    expect(byId).toMatch(/^By its date, received_at is .* but its id was created at /);
    expect(contradictions({ id: idAt(NOW) }, dates)).toEqual(['The record has no date that can be read.']);
  });
});
