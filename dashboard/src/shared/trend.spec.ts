import { describe, expect, it } from '@jest/globals';
import { changeOf, increaseOf, pointsOf } from './trend.js';

describe('changeOf', () => {
  it.each([
    [110, 100, '+10%', 'up', 'good'],
    [1_084, 1_000, '+8.4%', 'up', 'good'],
    [90, 100, '-10%', 'down', 'bad'],
    [350, 100, '+250%', 'up', 'good'],
    [100, 100, '0%', 'flat', 'neutral'],
    [100_004, 100_000, '0%', 'flat', 'neutral'],
    [0, 100, '-100%', 'down', 'bad'],
  ])('compares %d with %d as %s', (now, before, text, direction, tone) =>
    expect(changeOf(now, before)).toEqual({ text, direction, tone }),
  );

  it('compares with nothing as nothing', () => expect(changeOf(5, 0)).toBeNull());
});

describe('pointsOf', () => {
  it('subtracts shares', () =>
    expect(pointsOf(0.7, 0.681, 'pp')).toEqual({ text: '+1.9 pp', direction: 'up', tone: 'good' }));

  it.each([
    [null, 0.5],
    [0.5, null],
  ])('is nothing where one is unknown', (now, before) => expect(pointsOf(now, before, 'pp')).toBeNull());
});

describe('increaseOf', () => {
  it('is bad, unless there is none', () =>
    expect([increaseOf(3), increaseOf(0)]).toEqual([{ text: '+3', direction: 'up', tone: 'bad' }, null]));
});
