import { describe, expect, it } from '@jest/globals';
import { resendsOf } from './resends.js';

const made = (id: string, attempt: number) => ({
  id,
  attempt,
  outcome: 'failed' as const,
  attemptedAt: `2026-11-24T02:1${id}:00Z`,
});

describe('resendsOf', () => {
  it('takes neither the first attempt nor automatic retries for resends', () =>
    expect(resendsOf([made('1', 1), made('2', 2), made('3', 3)]).size).toBe(0));

  it('finds each resend between two attempts', () =>
    expect(resendsOf([made('1', 1), made('2', 2), made('3', 1), made('4', 1)])).toEqual(
      new Map([
        ['3', { after: '2026-11-24T02:12:00Z', until: '2026-11-24T02:13:00Z' }],
        ['4', { after: '2026-11-24T02:13:00Z', until: '2026-11-24T02:14:00Z' }],
      ]),
    ));
});
