import { describe, expect, it } from '@jest/globals';
import { condense, finishedDays, optInCourse } from './course.js';

const day = (asked: number, optedIn: number) => ({
  at: '2026-11-24T00:00:00Z',
  records: asked,
  recordsBefore: 0,
  asked,
  optedIn,
});

describe('finishedDays', () => {
  it('leaves out the running day', () => expect(finishedDays([day(4, 1), day(1, 1)])).toEqual([day(4, 1)]));
});

describe('optInCourse', () => {
  it('leaves out days on which nobody was asked', () =>
    expect(optInCourse([day(4, 1), day(0, 0), day(2, 1)])).toEqual([0.25, 0.5]));
});

describe('condense', () => {
  it.each([
    [[], []],
    [
      [1, 2, 3],
      [1, 2, 3],
    ],
    [Array<number>(60).fill(1), Array<number>(30).fill(2)],
    // Three values each; the last two are not a sum of as many.
    [Array<number>(62).fill(1), Array<number>(20).fill(3)],
  ])('sums %j', (values, expected) => expect(condense(values)).toEqual(expected));
});
