import { describe, expect, it } from '@jest/globals';
import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import type { OutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import {
  attemptsOf,
  EVENT_ATTEMPTS_MAX,
  eventIdOf,
  eventRetryDelayMs,
  messageOf,
} from './billing-message.js';

describe(messageOf.name, () => {
  const event = { id: 'evt_1', subscriptionId: 'sub_1', customerId: 'cus_1' };

  it('is of no project yet, and names its event', () => {
    expect(messageOf(event)).toEqual({
      orderingKey: namedKey('billing:sub_1'),
      projectId: null,
      topic: 'billing.event',
      subjectId: namedKey('billing-event:evt_1'),
      payload: { eventId: 'evt_1' },
    });
  });

  it('stands behind those of its subscription, else of its customer, else behind none', () => {
    const keyOf = (fields: object): string => messageOf({ ...event, ...fields }).orderingKey;
    expect(keyOf({ id: 'evt_2', customerId: null })).toBe(namedKey('billing:sub_1'));
    expect(keyOf({ subscriptionId: null })).toBe(namedKey('billing:cus_1'));
    expect(keyOf({ subscriptionId: null, customerId: null })).toBe(namedKey('billing:evt_1'));
  });
});

describe(eventIdOf.name, () => {
  it('is the event of the message', () => {
    expect(eventIdOf({ payload: { eventId: 'evt_1' } })).toBe('evt_1');
  });

  it.each([null, {}, { eventId: 7 }])('is a bug where the payload is %j', (payload) => {
    expect(() => eventIdOf({ payload })).toThrow('a message of billing.event names no event');
  });
});

describe(attemptsOf.name, () => {
  it.each([
    [0, 0, 1],
    [2, 0, 3],
    [2, 3, 6],
  ])(
    'after %d failures and %d claims without an outcome this is attempt %d',
    (failures, abandonedAttempts, n) => {
      expect(attemptsOf({ failures, abandonedAttempts } as OutboxMessage)).toBe(n);
    },
  );
});

it('waits 2 s, then three times as long each time, an hour at most', () => {
  const delays = Array.from({ length: EVENT_ATTEMPTS_MAX - 1 }, (_, n) => eventRetryDelayMs(n + 1) / 1000);
  expect(delays).toEqual([2, 6, 18, 54, 162, 486, 1458, 3600, 3600, 3600, 3600]);
});
