import { describe, expect, it } from '@jest/globals';
import { idAt } from '../../../platform/identity/ids.js';
import { type CheckedId, judgeRows, mayBeHashedSince, type StoredItem } from './record-check.js';

const HOUR_MS = 60 * 60_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const AHEAD_MS = 5 * 60_000;
const NOW = new Date('2026-11-23T12:00:00Z');
const at = (ms: number): Date => new Date(NOW.getTime() + ms);
const beginsAt = at(-30 * 24 * HOUR_MS);
const id = idAt(NOW);

const record = (rest: Partial<StoredItem> = {}): StoredItem => ({
  isErasure: false,
  instant: NOW,
  isSequenced: true,
  isSinceBegin: false,
  isImported: false,
  ...rest,
});
const kindOf = (rest: Partial<CheckedId>): string =>
  judgeRows({ id, beginsAt, stored: record(), leaf: { isErasure: false }, ...rest }).kind;

describe('rows of a record and its leaf', () => {
  it('lead to a comparison where both are there, of a record and of an erasure', () => {
    expect(kindOf({})).toBe('compare');
    expect(kindOf({ stored: record({ isErasure: true }), leaf: { isErasure: true } })).toBe('compare');
    // A record may be erased long after its id was created.
    const late = record({ isErasure: true, instant: at(2 * WEEK_MS) });
    expect(kindOf({ stored: late, leaf: { isErasure: true } })).toBe('compare');
  });

  it('show a missing record or a missing row of an erasure', () => {
    expect(judgeRows({ id, beginsAt, stored: null, leaf: { isErasure: false } })).toEqual({
      kind: 'missing',
      detail: 'It is missing, and no erasure is stored.',
    });
    expect(kindOf({ stored: null, leaf: { isErasure: true } })).toBe('missing');
    expect(kindOf({ stored: null, leaf: null })).toBe('pending');
  });

  it('show what the sequencer has skipped', () => {
    expect(kindOf({ leaf: null })).toBe('backdated');
    expect(kindOf({ leaf: null, stored: record({ isSequenced: false }) })).toBe('pending');
    // An erasure, or a record that was sent again, waits for its own leaf.
    expect(kindOf({ stored: record({ isErasure: true }) })).toBe('backdated');
    expect(kindOf({ stored: record({ isErasure: true, isSequenced: false }) })).toBe('pending');
    expect(kindOf({ leaf: { isErasure: true }, stored: record({ isSequenced: false }) })).toBe('pending');
    // Records from before evidence was turned on have no leaf.
    expect(kindOf({ leaf: null, beginsAt: at(-HOUR_MS) })).toBe('pending');
    expect(kindOf({ leaf: null, beginsAt: at(-HOUR_MS - 1) })).toBe('backdated');
    // Transaction ids show this independently of clocks.
    const since = record({ isSinceBegin: true });
    expect(kindOf({ leaf: null, stored: since, beginsAt: at(-HOUR_MS) })).toBe('backdated');
    const unread = record({ isSinceBegin: true, isSequenced: false });
    expect(kindOf({ leaf: null, stored: unread, beginsAt: at(-HOUR_MS) })).toBe('pending');
  });

  it('show a date before evidence was turned on, up to the error of a clock', () => {
    expect(kindOf({ beginsAt: at(HOUR_MS) })).toBe('compare');
    expect(
      judgeRows({ id, beginsAt: at(HOUR_MS + 1), stored: record(), leaf: { isErasure: false } }),
    ).toEqual({
      kind: 'backdated',
      detail:
        'received_at is 2026-11-23T12:00:00.000Z, but evidence was turned on at 2026-11-23T13:00:00.001Z.',
    });
  });

  it.each([
    ['ahead of it', AHEAD_MS + HOUR_MS, 1],
    ['behind it', -WEEK_MS - HOUR_MS, -1],
  ])('show an id whose time is too far %s', (_where, boundMs, stepMs) => {
    expect(kindOf({ id: idAt(at(boundMs)) })).toBe('compare');
    expect(kindOf({ id: idAt(at(boundMs + stepMs)) })).toBe('backdated');
  });
});

it('accepts an imported record whose id is older, but none whose id is later', () => {
  const stored = record({ isImported: true });
  expect(kindOf({ stored, id: idAt(at(-50 * WEEK_MS)) })).toBe('compare');
  expect(kindOf({ stored, id: idAt(at(AHEAD_MS + HOUR_MS + 1)) })).toBe('backdated');
});

it('recognizes a visitor that is kept as a hash', () => {
  const hashed = `sha256:${'0f'.repeat(32)}`;
  const customer = { field: 'customer' };
  expect(mayBeHashedSince({ plan: 'x', customer: hashed }, customer)).toBe(true);
  // The project no longer has a field, so its name is unknown.
  expect(mayBeHashedSince({ plan: 'x', former: hashed }, { field: null })).toBe(true);
  // A different field, or a project that never had one: the value was not hashed.
  expect(mayBeHashedSince({ plan: hashed, customer: '42' }, customer)).toBe(false);
  expect(mayBeHashedSince({ customer: hashed }, null)).toBe(false);
  for (const extra of [
    null,
    {},
    { customer: '42' },
    { customer: `${hashed}0` },
    { customer: { of: hashed } },
  ])
    expect(mayBeHashedSince(extra, customer)).toBe(false);
});
