import { describe, expect, it } from '@jest/globals';
import {
  domainToken,
  expectedRecords,
  type HostRecords,
  judgeCaa,
  judgeHost,
  type Lookup,
} from './dns-verdict.js';

const EXPECTED = { hostname: 'consent.shop.example', token: 'a1b2', target: 'edge.example.com' };
const NONE: Lookup = { kind: 'none' };
const FAILED: Lookup = { kind: 'failed' };
const found = (...values: string[]): Lookup => ({ kind: 'found', values });
const records = (given: Partial<HostRecords>): HostRecords => ({
  cname: NONE,
  txt: NONE,
  addresses: [],
  ...given,
});
const judge = (...answers: Partial<HostRecords>[]) => judgeHost(answers.map(records), EXPECTED);
const RIGHT = { cname: found('A1B2.edge.example.com.') };

describe('one resolver', () => {
  it.each([
    ['the CNAME, in any case and with a trailing dot', RIGHT, { kind: 'good', method: 'cname' }],
    ['the TXT', { txt: found('other', 'a1b2') }, { kind: 'good', method: 'txt' }],
    ['the TXT beside another CNAME', { cname: found('cdn.example'), txt: found('a1b2') }, { kind: 'good' }],
    ['the CNAME where TXT fails', { ...RIGHT, txt: FAILED }, { kind: 'good', method: 'cname' }],
    [
      'an address',
      { addresses: ['192.0.2.7', '2001:db8::7'] },
      { kind: 'bad', problem: 'address_record', found: '192.0.2.7' },
    ],
    [
      'an address where TXT fails',
      { addresses: ['192.0.2.7'], txt: FAILED },
      { problem: 'resolvers_failed' },
    ],
    ['nothing', {}, { kind: 'bad', problem: 'no_record', found: null }],
    [
      'the token of another project',
      { cname: found('ffff.edge.example.com') },
      { kind: 'bad', problem: 'wrong_token', found: 'ffff.edge.example.com' },
    ],
    ['the target without a token', { cname: found('edge.example.com') }, { problem: 'other_target' }],
    ['a longer name', { cname: found('x.a1b2.edge.example.com') }, { problem: 'wrong_token' }],
    ['a look-alike', { cname: found('a1b2.edge.example.com.evil.example') }, { problem: 'other_target' }],
    ['another TXT', { txt: found('a1b2c') }, { kind: 'bad', problem: 'wrong_token', found: 'a1b2c' }],
    ['no answer to one question', { cname: FAILED }, { kind: 'unclear', problem: 'resolvers_failed' }],
    ['no answer to the other', { txt: FAILED }, { kind: 'unclear', problem: 'resolvers_failed' }],
  ])('judges %s', (_name, answer, verdict) => {
    expect(judge(answer)).toMatchObject(verdict);
  });

  it('stores what it found without control characters, at bounded length', () => {
    const verdict = judge({ txt: found(`\u0000\n${'x'.repeat(500)}`) });
    expect(verdict).toMatchObject({ found: `??${'x'.repeat(251)}` });
  });
});

describe('two resolvers', () => {
  it('confirm and deny together alone', () => {
    expect(judge(RIGHT, RIGHT)).toEqual({ kind: 'good', method: 'cname' });
    expect(judge({}, {})).toMatchObject({ kind: 'bad', problem: 'no_record' });
    expect(judge(RIGHT, {})).toEqual({ kind: 'unclear', problem: 'resolvers_disagree' });
    expect(judge(RIGHT, { cname: FAILED })).toEqual({ kind: 'unclear', problem: 'resolvers_failed' });
    expect(judge({}, { cname: FAILED })).toEqual({ kind: 'unclear', problem: 'resolvers_failed' });
    expect(judge()).toMatchObject({ kind: 'unclear' });
  });
});

it('reads the CAs of CAA records', () => {
  expect(judgeCaa([])).toEqual({ known: true, issuers: null });
  expect(judgeCaa([{}])).toEqual({ known: true, issuers: null });
  expect(
    judgeCaa([{ issue: ' LetsEncrypt.org ; validationmethods=http-01' }, { issue: 'pki.goog' }]),
  ).toEqual({
    known: true,
    issuers: ['letsencrypt.org', 'pki.goog'],
  });
  expect(judgeCaa([{ issue: ';' }])).toEqual({ known: true, issuers: [] });
});

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
