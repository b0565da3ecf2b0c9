import { expect, it } from '@jest/globals';
import { period } from './period.js';

it('takes whole days with the running one, and as many before', () => {
  expect(period(7, new Date('2026-03-10T12:34:56Z'))).toEqual({
    now: { from: '2026-03-04T00:00:00.000Z', to: '2026-03-11T00:00:00.000Z' },
    before: { from: '2026-02-25T00:00:00.000Z', to: '2026-03-04T00:00:00.000Z' },
    interval: 'day',
  });
});

it('takes a day by hours', () => {
  expect(period(1, new Date('2026-03-10T12:00:00Z'))).toMatchObject({
    now: { from: '2026-03-09T13:00:00.000Z', to: '2026-03-10T13:00:00.000Z' },
    interval: 'hour',
  });
});
