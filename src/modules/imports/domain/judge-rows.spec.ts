import { describe, expect, it } from '@jest/globals';
import { type ImportRules, type Judged, judgeImportedRows } from './judge-rows.js';
import { type Choices, mapChoices } from './mapping.js';
import type { Fields } from './profile.js';

const NOW = new Date('2026-11-29T12:00:00Z');
const rules: ImportRules = {
  projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
  profile: 'generic',
  mapping: {},
  keptSince: new Date('2025-11-01T00:00:00Z'),
  now: NOW,
};
const row: Fields = {
  id: 'c-1',
  givenAt: '2026-05-01T10:00:00Z',
  analytics: 'true',
  marketing: '0',
  preferences: 'YES',
};
const judge = (change: Fields = {}, rest: Partial<ImportRules> = {}): Judged =>
  judgeImportedRows([{ ...row, ...change }], null, { ...rules, ...rest });
const reasonOf = (change: Fields): string => {
  const judged = judge(change);
  return judged.kind === 'refused' ? judged.reason : judged.kind;
};

describe(judgeImportedRows.name, () => {
  it('reads the choices, and names the action that they are', () => {
    expect(judge()).toMatchObject({
      kind: 'consent',
      consent: {
        originalId: 'c-1',
        analytics: true,
        marketing: false,
        preferences: true,
        action: 'custom',
        hostname: null,
      },
    });
    const all = { analytics: '1', marketing: '1', preferences: '1' };
    expect(judge(all)).toMatchObject({ consent: { action: 'accept_all' } });
    const none = { analytics: 'no', marketing: 'no', preferences: 'no' };
    expect(judge(none)).toMatchObject({ consent: { action: 'reject_all' } });
    expect(judge({ ...none, action: 'withdraw' })).toMatchObject({ consent: { action: 'withdraw' } });
  });

  it('refuses by name, with both sides of the bounds of time', () => {
    expect(reasonOf({ id: '' })).toBe('id_missing');
    expect(reasonOf({ id: 'x'.repeat(200) })).toBe('consent');
    expect(reasonOf({ id: 'x'.repeat(201) })).toBe('id_missing');
    expect(reasonOf({ id: 'a\0b' })).toBe('unreadable');
    expect(reasonOf({ givenAt: 'soon' })).toBe('date_unreadable');
    expect(reasonOf({ givenAt: '2026-11-29T12:05:00Z' })).toBe('consent');
    expect(reasonOf({ givenAt: '2026-11-29T12:05:01Z' })).toBe('in_future');
    expect(reasonOf({ givenAt: '2025-11-01T00:00:00Z' })).toBe('consent');
    expect(reasonOf({ givenAt: '2025-10-31T23:59:59Z' })).toBe('older_than_retention');
    expect(reasonOf({ analytics: 'maybe' })).toBe('choice_unreadable');
    expect(reasonOf({ analytics: '' })).toBe('choice_unreadable');
    expect(reasonOf({ action: '9 lives' })).toBe('action_invalid');
  });

  it('drops what is no hostname or language', () => {
    const kept = judge({ hostname: 'WWW.Shop.example.', language: 'pt-BR' });
    expect(kept).toMatchObject({ consent: { hostname: 'www.shop.example', language: 'pt-BR' } });
    const dropped = judge({ hostname: 'https://shop.example/', language: 'Portuguese!' });
    expect(dropped).toMatchObject({ consent: { hostname: null, language: null } });
  });
});

describe(mapChoices.name, () => {
  const each = (granted: Record<string, boolean>): Choices => ({
    kind: 'each',
    granted: new Map(Object.entries(granted)),
  });
  const listed = (...accepted: string[]): Choices => ({ kind: 'listed', accepted });

  it('grants a category only if all that is mapped to it is granted', () => {
    const mapping = { GA: 'analytics', Matomo: 'analytics', Ads: 'marketing', CDN: 'ignore' } as const;
    const mapped = mapChoices(each({ GA: true, Matomo: false, Ads: true, CDN: false, Chat: true }), mapping);
    expect(mapped.categories).toEqual({ analytics: false, marketing: true, preferences: false });
    expect(mapped.known).toEqual(['analytics', 'marketing']);
    expect(mapped.unmapped).toEqual(['Chat']);
  });

  it('grants a category of a list unless a mapped name is missing', () => {
    const mapping = { GA: 'analytics', Matomo: 'analytics' } as const;
    expect(mapChoices(listed('GA'), mapping).categories.analytics).toBe(false);
    expect(mapChoices(listed('GA', 'Matomo'), mapping).categories.analytics).toBe(true);
    expect(mapChoices(listed(), mapping).known).toEqual(['analytics', 'marketing', 'preferences']);
  });

  it('knows usual names in any case, which a mapping overrides', () => {
    expect(mapChoices(listed('STATISTICS', 'necessary'), {})).toMatchObject({
      categories: { analytics: true },
      unmapped: [],
    });
    const moved = mapChoices(each({ statistics: true }), { statistics: 'marketing' });
    expect(moved.categories).toEqual({ analytics: false, marketing: true, preferences: false });
  });
});
