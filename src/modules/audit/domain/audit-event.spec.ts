import { describe, expect, it } from '@jest/globals';
import { boundedState, diffStates, STATE_CHARACTERS_MAX } from './audit-event.js';

describe(diffStates.name, () => {
  it('keeps what differs, on both sides', () => {
    expect(diffStates({ name: 'A', domains: ['a.example'] }, { name: 'B', domains: ['a.example'] })).toEqual({
      before: { name: 'A' },
      after: { name: 'B' },
    });
  });

  it('writes null for what one side lacks', () => {
    expect(diffStates({ name: 'A' }, { endsAt: 1 })).toEqual({
      before: { name: 'A', endsAt: null },
      after: { name: null, endsAt: 1 },
    });
  });

  it('finds nothing in two of the same', () => {
    expect(diffStates({ at: new Date(0), list: [1] }, { at: new Date(0), list: [1] })).toBeNull();
  });
});

describe(boundedState.name, () => {
  const ofLength = (length: number) => ({ text: 'x'.repeat(length - '{"text":""}'.length) });

  it('keeps a state of the longest length, and of a longer one only how long it was', () => {
    const longest = ofLength(STATE_CHARACTERS_MAX);
    expect(boundedState(longest)).toBe(longest);
    expect(boundedState(ofLength(STATE_CHARACTERS_MAX + 1))).toEqual({
      tooLarge: true,
      characters: STATE_CHARACTERS_MAX + 1,
    });
  });

  it('is null where there was nothing', () => {
    expect(boundedState(undefined)).toBeNull();
  });
});
