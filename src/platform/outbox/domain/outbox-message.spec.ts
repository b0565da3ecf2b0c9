import { describe, expect, it } from '@jest/globals';
import { BUG_SCHEDULE, projectOf, type OutboxMessage } from './outbox-message.js';

describe(projectOf.name, () => {
  const message = (projectId: string | null): OutboxMessage =>
    ({ id: 7, topic: 'consent.recorded', projectId }) as OutboxMessage;

  it('is the project that the message names', () => {
    expect(projectOf(message('01a1fec8-570f-715b-b2b3-e89dce8cae7b'))).toBe(
      '01a1fec8-570f-715b-b2b3-e89dce8cae7b',
    );
  });

  it('is a bug where it names none', () => {
    expect(() => projectOf(message(null))).toThrow('message 7 of consent.recorded names no project');
  });
});

it('waits two minutes in all for what throws, each time twice as long, five minutes at most', () => {
  const waits = Array.from(
    { length: BUG_SCHEDULE.failuresMax - 1 },
    (_, n) => BUG_SCHEDULE.delayMs(n + 1) / 1000,
  );
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64]);
  expect(BUG_SCHEDULE.delayMs(9)).toBe(256_000);
  expect(BUG_SCHEDULE.delayMs(10)).toBe(300_000);
});
