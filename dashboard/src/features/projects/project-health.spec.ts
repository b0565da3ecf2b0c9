import { describe, expect, it } from '@jest/globals';
import { attentionReasons, installation, needsAttention, selectProjects, urgency } from './project-health.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const SEEN = '2026-11-24T11:59:00Z';

const project = (name: string, changes: object = {}) => ({
  name,
  domains: [`${name.toLowerCase()}.example`],
  tier: 'pro' as const,
  publishedAt: SEEN as string | null,
  lastSeenAt: SEEN as string | null,
  endpoint: { state: 'healthy' as const, since: null },
  undelivered: { records: 0, more: false },
  ...changes,
});

const failing = project('Failing', { endpoint: { state: 'failing', since: SEEN } });
const held = project('Held', { endpoint: { state: 'held', since: SEEN } });
const undelivered = project('Undelivered', { undelivered: { records: 1, more: false } });
const lost = project('Lost', { lastSeenAt: '2026-11-22T11:59:59Z' });
const unpublished = project('Unpublished', { publishedAt: null });
const fine = project('Fine');
const off = project('Off', { endpoint: { state: 'off', since: null } });

describe('urgency', () => {
  it.each([
    [failing, 4, true],
    [held, 4, true],
    [undelivered, 3, true],
    [lost, 2, true],
    [unpublished, 1, false],
    [project('Never seen', { lastSeenAt: null }), 1, false],
    [fine, 0, false],
    [off, 0, false],
  ])('judges %j', (given, expected, attention) => {
    expect([urgency(given, NOW), needsAttention(given, NOW)]).toEqual([expected, attention]);
  });
});

describe('installation', () => {
  it.each([
    [null, 'never'],
    ['2026-11-22T12:00:00Z', 'seen'],
    ['2026-11-22T11:59:59Z', 'lost'],
  ])('of a loader last seen %s is %s', (lastSeenAt, expected) =>
    expect(installation({ lastSeenAt }, NOW)).toBe(expected),
  );
});

describe('attentionReasons', () => {
  it('counts each project once, for its most urgent reason', () =>
    expect(
      attentionReasons(
        [failing, held, { ...failing, lastSeenAt: '2026-11-01T00:00:00Z' }, undelivered, lost, fine],
        NOW,
      ),
    ).toEqual({ endpoints: 3, undelivered: 1, loaders: 1 }));
});

describe('selectProjects', () => {
  const all = [
    fine,
    unpublished,
    lost,
    undelivered,
    held,
    failing,
    off,
    project('Shop 10'),
    project('Shop 9'),
  ];
  const names = (search: Parameters<typeof selectProjects>[1]) =>
    selectProjects(all, search, NOW).map(({ name }) => name);

  it('puts the most urgent first, then sorts by name', () =>
    expect(names({})).toEqual([
      'Failing',
      'Held',
      'Undelivered',
      'Lost',
      'Unpublished',
      'Fine',
      'Off',
      'Shop 9',
      'Shop 10',
    ]));

  it('sorts by name', () => expect(names({ sort: 'name', q: 'f' })).toEqual(['Failing', 'Fine', 'Off']));

  it('finds names and domains', () =>
    expect([names({ q: ' 10 SHOP' }), names({ q: 'lóst.ex' })]).toEqual([['Shop 10'], ['Lost']]));

  it('filters by plan and banner', () => {
    const lite = { ...project('Lite'), tier: 'lite' as const };
    const select = (search: Parameters<typeof selectProjects>[1]) =>
      selectProjects([fine, unpublished, lite], search, NOW).map(({ name }) => name);
    expect(select({ plan: 'lite' })).toEqual(['Lite']);
    expect(select({ banner: 'none' })).toEqual(['Unpublished']);
    expect(select({ banner: 'published', plan: 'pro' })).toEqual(['Fine']);
  });

  it('leaves out what works', () =>
    expect(names({ attention: true })).toEqual(['Failing', 'Held', 'Undelivered', 'Lost']));
});
