import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../platform/identity/ids.js';
import type { Classification } from './classify-item.js';
import { itemId } from './item-key.js';
import {
  type AlertEvidence,
  findAlert,
  getsAlerts,
  readUnsubscribeToken,
  writeUnsubscribeToken,
} from './scan-alert.js';
import type { ItemKind } from './scan.js';
import type { ClassifiedItem } from './seen-item.js';

const UNKNOWN: Classification = {
  category: null,
  proposed: [],
  source: 'none',
  certainty: 'none',
  service: null,
  provider: null,
  purpose: null,
  duration: null,
  policyUrl: null,
};

function item(name: string, given: Partial<Classification> = {}, kind: ItemKind = 'cookie'): ClassifiedItem {
  const key = { kind, name, host: 'shop.example' };
  return {
    ...key,
    id: itemId(key),
    thirdParty: false,
    initiators: [],
    types: [],
    lifetimeSeconds: null,
    sightings: [],
    classification: { ...UNKNOWN, ...given },
  };
}

const idsOf = (items: ClassifiedItem[]): Set<string> => new Set(items.map(({ id }) => id));
const evidence = (given: Partial<AlertEvidence> = {}): AlertEvidence => ({
  items: [],
  newIds: new Set(),
  beforeConsentIds: new Set(),
  loaderGone: [],
  ...given,
});

describe(findAlert.name, () => {
  it('reports nothing where nothing is new', () => {
    expect(findAlert(evidence({ items: [item('sid')] }))).toBeNull();
  });

  it('compares items with earlier scans, so the first scan has no new ones', () => {
    const items = [item('sid')];
    expect(findAlert(evidence({ items, newIds: idsOf(items) }))?.newItems).toEqual({
      count: 1,
      names: ['sid'],
    });
    expect(findAlert(evidence({ items, newIds: null }))).toBeNull();
  });

  it('leaves out what the owner declared or decided, and what this service stores', () => {
    const items = [
      item('a', { source: 'decision' }),
      item('b', { source: 'configuration' }),
      item('service-consent'),
    ];
    expect(findAlert(evidence({ items, newIds: idsOf(items) }))).toBeNull();
  });

  it('lists five names at most, each once, and of requests those of known services', () => {
    const items = [
      ...['a', 'b', 'c', 'd', 'd', 'e', 'f'].map((name, at) => ({ ...item(name), id: String(at) })),
      item('', { service: null, provider: null }, 'request'),
    ];
    expect(findAlert(evidence({ items, newIds: idsOf(items) }))?.newItems).toEqual({
      count: 8,
      names: ['a', 'b', 'c', 'd', 'e'],
    });
    const [known, entity] = [
      item('', { service: 'Maps', provider: 'Google' }, 'request'),
      { ...item('', { provider: 'Meta' }, 'request'), id: 'x' },
    ];
    const requests = [known, entity].filter((each) => each !== undefined);
    expect(findAlert(evidence({ items: requests, newIds: idsOf(requests) }))?.newItems.names).toEqual([
      'Maps',
      'Meta',
    ]);
  });

  it('reports storage before consent and a missing loader also without new items', () => {
    const items = [item('_fbp')];
    expect(findAlert(evidence({ items, beforeConsentIds: idsOf(items) }))).toEqual({
      newItems: { count: 0, names: [] },
      beforeConsent: { count: 1, names: ['_fbp'] },
      loaderGone: [],
    });
    expect(findAlert(evidence({ loaderGone: ['shop.example'] }))?.loaderGone).toEqual(['shop.example']);
  });
});

describe(getsAlerts.name, () => {
  it.each([
    ['owner', null, true],
    ['editor', null, false],
    ['viewer', null, false],
    ['owner', false, false],
    ['viewer', true, true],
  ] as const)('%s who chose %j: %j', (role, chosen, expected) => {
    expect(getsAlerts(role, chosen)).toBe(expected);
  });
});

const [OLD, KEY] = [randomBytes(32), randomBytes(32)];
const ADA = { projectId: newId(), userId: newId() };

describe(readUnsubscribeToken.name, () => {
  it('reads what one of the keys wrote, also after a rotation', () => {
    expect(readUnsubscribeToken(writeUnsubscribeToken(ADA, OLD), [KEY, OLD])).toEqual(ADA);
    expect(readUnsubscribeToken(writeUnsubscribeToken(ADA, OLD), [KEY])).toBeNull();
    expect(readUnsubscribeToken(writeUnsubscribeToken(ADA, OLD), [])).toBeNull();
  });

  it('refuses each changed byte, and what is no token', () => {
    const bytes = Buffer.from(writeUnsubscribeToken(ADA, KEY), 'base64url');
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(readUnsubscribeToken(changed.toString('base64url'), [KEY])).toBeNull();
    }
    for (const text of ['', 'x', bytes.toString('base64'), `${bytes.toString('base64url')}A`, 'ä'.repeat(86)])
      expect(readUnsubscribeToken(text, [KEY])).toBeNull();
  });
});
