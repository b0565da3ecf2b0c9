import { expect, it } from '@jest/globals';
import { foldItems, type ItemGroupRow, type PageUse } from './seen-item.js';

const use = (page: number, given: Partial<PageUse> = {}): PageUse => ({
  page,
  setBy: null,
  sent: false,
  initiator: null,
  ...given,
});
const row = (given: Partial<ItemGroupRow> = {}): ItemGroupRow => ({
  kind: 'cookie',
  name: 'sid',
  host: '.shop.example',
  state: 'before',
  thirdParty: false,
  pages: [use(1)],
  initiators: [],
  types: [],
  lifetimeSeconds: null,
  ...given,
});

it('joins an item of several states, hosts of a site and ids in its name', () => {
  const items = foldItems([
    row({ name: 'sid_111111111', pages: [use(3, { sent: true })], initiators: ['a.example/x.js'] }),
    row({ name: 'sid_222222222', pages: [use(1)], host: 'www.shop.example', lifetimeSeconds: 60 }),
    row({ name: 'sid_333333333', state: 'reject', thirdParty: true, lifetimeSeconds: 30 }),
  ]);
  expect(items).toEqual([
    {
      kind: 'cookie',
      name: 'sid_*',
      host: 'shop.example',
      id: items[0]?.id,
      thirdParty: true,
      initiators: ['a.example/x.js'],
      types: [],
      lifetimeSeconds: 60,
      sightings: [
        { state: 'before', pages: [use(1), use(3, { sent: true })] },
        { state: 'reject', pages: [use(1)] },
      ],
    },
  ]);
});

it('has one use for each page: what set it, and whether it was sent', () => {
  const set = { setBy: 'script', initiator: 'a.example/x.js' } as const;
  const [item] = foldItems([
    row({ pages: [use(2, { sent: true }), use(2, set), use(1, { sent: true })] }),
    row({ host: 'www.shop.example', pages: [use(1, set), use(3)] }),
  ]);
  expect(item?.sightings).toEqual([
    { state: 'before', pages: [use(1, { ...set, sent: true }), use(2, { ...set, sent: true }), use(3)] },
  ]);
  // An unknown initiator that set it takes precedence over a known one that did not.
  const unknown = foldItems([
    row({ pages: [use(1, { initiator: 'b.example/y.js' }), use(1, { setBy: 'response' })] }),
  ]);
  expect(unknown[0]?.sightings[0]?.pages).toEqual([use(1, { setBy: 'response' })]);
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
