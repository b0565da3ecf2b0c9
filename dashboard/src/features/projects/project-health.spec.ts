import { describe, expect, it } from '@jest/globals';
import { attentionReason, installation, selectProjects } from './project-health.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const SEEN = '2026-11-24T11:59:00Z';

const project = (name: string, changes: object = {}) => ({
  name,
  domains: [`${name.toLowerCase()}.example`],
  tier: 'pro' as const,
  publishedAt: SEEN as string | null,
  draftSavedAt: null as string | null,
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

const uninstalled = project('Uninstalled', { lastSeenAt: null });

describe('attentionReason', () => {
  it.each([
    [failing, 'endpoints'],
    [held, 'endpoints'],
    [{ ...failing, lastSeenAt: '2026-11-01T00:00:00Z' }, 'endpoints'],
    [undelivered, 'undelivered'],
    [lost, 'loaders'],
    [unpublished, 'unpublished'],
    [{ ...unpublished, lastSeenAt: null }, 'unpublished'],
    [uninstalled, 'uninstalled'],
    [fine, undefined],
    [off, undefined],
  ])('of %j is %s', (given, expected) => expect(attentionReason(given, NOW)).toBe(expected));
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

describe('selectProjects', () => {
  const all = [
    fine,
    uninstalled,
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
      'Uninstalled',
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
    expect(selectProjects([fine, { ...lite, draftSavedAt: SEEN }], { banner: 'draft' }, NOW)).toHaveLength(1);
  });

  it('leaves out what works', () =>
    expect(names({ attention: true })).toEqual([
      'Failing',
      'Held',
      'Undelivered',
      'Lost',
      'Unpublished',
      'Uninstalled',
    ]));
});
