import { expect, it } from '@jest/globals';
import { foldItems, type ItemGroupRow } from './seen-item.js';

const row = (given: Partial<ItemGroupRow> = {}): ItemGroupRow => ({
  ...{ kind: 'cookie', name: 'sid', host: '.shop.example', state: 'before', thirdParty: false, pages: [1] },
  ...{ initiators: [], types: [], lifetimeSeconds: null },
  ...given,
});

it('joins an item of several states, hosts of a site and ids in its name', () => {
  const items = foldItems([
    row({ name: 'sid_111111111', pages: [3], initiators: ['a.example/x.js'] }),
    row({ name: 'sid_222222222', pages: [1], host: 'www.shop.example', lifetimeSeconds: 60 }),
    row({ name: 'sid_333333333', state: 'reject', thirdParty: true, lifetimeSeconds: 30 }),
  ]);
  expect(items).toEqual([
    {
      ...{ kind: 'cookie', name: 'sid_*', host: 'shop.example', id: items[0]?.id, thirdParty: true },
      ...{ initiators: ['a.example/x.js'], types: [], lifetimeSeconds: 60 },
      sightings: [
        { state: 'before', pages: [1, 3], initiator: 'a.example/x.js' },
        { state: 'reject', pages: [1], initiator: null },
      ],
    },
  ]);
});

it('keeps kinds, sites and hosts of requests apart', () => {
  const items = foldItems([
    row(),
    row({ kind: 'local_storage' }),
    row({ host: 'other.example' }),
    row({ kind: 'request', name: '', host: 'a.shop.example', types: ['image'] }),
    row({ kind: 'request', name: '', host: 'b.shop.example' }),
    row({ kind: 'request', name: '', host: 'a.shop.example', state: 'reject', types: ['script'] }),
  ]);
  expect(items).toHaveLength(5);
  expect(items[3]).toMatchObject({ host: 'a.shop.example', types: ['image', 'script'] });
});
