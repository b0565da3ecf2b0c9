import { describe, expect, it } from '@jest/globals';
import { storedConfiguration } from './configuration.js';
import { serviceIdConflicts, withServiceIds } from './service-ids.js';

const idsOf = (services: { id?: string; name: string }[], known?: { id?: string; name: string }[]) =>
  withServiceIds(services, known).map(({ id }) => id);

describe('withServiceIds', () => {
  it.each([
    ['Google Analytics', 'google-analytics'],
    ['Überwachung & Co. KG', 'uberwachung-co-kg'],
    ['2checkout', 'service-2checkout'],
    ['Marketing', 'service-marketing'],
    ['deadbeef', 'service-deadbeef'],
    ['統計', 'service'],
    ['', 'service'],
    ['a'.repeat(60), 'a'.repeat(40)],
  ])('makes one of the name %j', (name, id) => {
    expect(idsOf([{ name }])).toEqual([id]);
  });

  it('keeps ids, and gives none out twice', () => {
    expect(idsOf([{ name: 'Matomo' }, { name: 'Matomo' }, { id: 'matomo-2', name: 'Other' }])).toEqual([
      'matomo',
      'matomo-3',
      'matomo-2',
    ]);
    const long = 'b'.repeat(40);
    expect(idsOf([{ name: long }, { name: long }])).toEqual([long, `${'b'.repeat(38)}-2`]);
  });

  it('takes a known service’s by its name, and no other’s', () => {
    const known = [
      { id: 'counter', name: 'Matomo' },
      { id: 'matomo', name: 'Former' },
    ];
    expect(idsOf([{ name: 'Matomo' }], known)).toEqual(['counter']);
    expect(idsOf([{ id: 'counter', name: 'Renamed' }, { name: 'Matomo' }], known)).toEqual([
      'counter',
      'matomo-2',
    ]);
  });
});

it('gives stored services of before the same ids each time', () => {
  const service = { provider: 'P', category: 'analytics', policyUrl: null, cookies: [], translations: [] };
  const stored = { services: [{ ...service, name: 'Matomo' }] } as never;
  expect(storedConfiguration(stored)).toEqual(storedConfiguration(stored));
  expect(storedConfiguration(stored)).toMatchObject({
    serviceChoice: false,
    services: [{ id: 'matomo', name: 'Matomo' }],
  });
});

describe('serviceIdConflicts', () => {
  const former = [{ id: 'counter', name: 'Matomo' }];

  it('are new ids that another service had', () => {
    const find = (name: string, current: { id: string; name: string }[] = []) =>
      serviceIdConflicts([{ id: 'counter', name }], { current, former });
    expect(find('Other')).toEqual([{ index: 0, id: 'counter' }]);
    // The same service comes back, or is renamed.
    expect(find('Matomo')).toEqual([]);
    expect(find('Other', former)).toEqual([]);
  });
});
