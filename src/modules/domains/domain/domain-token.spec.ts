import { expect, it } from '@jest/globals';
import { domainToken, expectedRecords } from './domain-token.js';

const KEY = Buffer.alloc(32, 7);
const PAIR = { projectId: '019ad000-0000-7000-8000-000000000001', hostname: 'consent.shop.example' };

it('derives a token of its arguments alone', () => {
  const token = domainToken(PAIR, KEY);
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  expect(domainToken({ ...PAIR }, KEY)).toBe(token);
  const others = [
    domainToken({ ...PAIR, projectId: PAIR.projectId.replace(/1$/, '2') }, KEY),
    domainToken({ ...PAIR, hostname: 'consent.other.example' }, KEY),
    domainToken(PAIR, Buffer.alloc(32, 8)),
  ];
  expect(new Set([token, ...others]).size).toBe(4);
});

it('names both records', () => {
  expect(expectedRecords({ hostname: 'a.example', token: 't' }, 'edge.example.com')).toEqual({
    cname: { type: 'CNAME', name: 'a.example', value: 't.edge.example.com' },
    txt: { type: 'TXT', name: '_service-challenge.a.example', value: 't' },
  });
});
