import type { Planted } from '../planted.js';

const VISITOR = 'test/consent/visitor-rights';
const PERIODS = 'src/consent/domain/overview-periods';
const INGEST_LIMIT = 'test/consent/ingest-limit';
const VISITS = 'test/visits/visits.e2e';

/** Defects of `src/consent` and of what counts visitors' requests. */
export const CONSENT: Planted[] = [
  {
    name: 'visitor: a withdrawal names the oldest record',
    mutations: [
      {
        symbol: 'VisitorRights.withdraw',
        from: /= records\[0\];/,
        to: '= records.at(-1) ?? records[0];',
      },
    ],
    tests: [VISITOR],
    only: 'withdraws',
  },
  {
    name: 'visitor: a full page always has more behind it',
    mutations: [
      {
        symbol: 'VisitorRights.records',
        from: /records\.length > items\.length/,
        to: 'records.length >= KEY_RECORDS_MAX',
      },
    ],
    tests: [VISITOR],
    only: 'newest 100',
  },
  {
    name: 'lists: a full page always has more behind it',
    mutations: [
      { symbol: 'toPage', file: 'shared/page.ts', from: /rows\.length > limit/, to: 'rows.length >= limit' },
    ],
    tests: ['src/shared/page'],
  },
  {
    name: 'lists of records: a full page always has more behind it',
    mutations: [{ symbol: 'toScannedPage', from: /found\.length > limit/, to: 'found.length >= limit' }],
    tests: ['src/database/bounded-scan'],
  },
  {
    name: 'visitor: counts each address of an IPv6 network',
    mutations: [{ symbol: 'VisitorRateLimiter.consume', from: /clientNetwork\(address\)/, to: 'address' }],
    tests: [VISITOR],
    only: 'rate limit',
  },
  {
    name: 'ingest: counts guesses by each address of an IPv6 network',
    mutations: [
      { symbol: 'IngestRateLimiter.consumeUnknownProject', from: /clientNetwork\(address\)/, to: 'address' },
    ],
    tests: [INGEST_LIMIT],
    only: 'tenfold',
  },
  {
    name: 'visits: counts each address of an IPv6 network',
    mutations: [{ symbol: 'VisitRateLimiter.consume', from: /clientNetwork\(address\)/, to: 'address' }],
    tests: [VISITS],
    only: 'limits a network',
  },
  {
    name: 'visits: counts guesses by each address of an IPv6 network',
    mutations: [
      { symbol: 'VisitRateLimiter.consumeUnknownProject', from: /clientNetwork\(address\)/, to: 'address' },
    ],
    tests: [VISITS],
    only: 'a project that does not exist',
  },
  {
    name: 'overview: takes the offset of UTC midnight for that of local midnight',
    mutations: [
      {
        symbol: 'localMidnight',
        from: /new Date\(midnightUtcMs - offsetMs\(guess, clock\)\)/,
        to: 'guess',
      },
    ],
    tests: [PERIODS],
  },
  {
    name: 'overview: begins a day without midnight an hour early',
    mutations: [{ symbol: 'localMidnight', from: /Math\.max\(/, to: 'Math.min(' }],
    tests: [PERIODS],
  },
  ...['erasures', 'privacy', "'visitor-records'"].map((part) => ({
    name: `keys: ${part} is within no area`,
    mutations: [{ symbol: 'AREA_OF_PART', from: new RegExp(`${part}: 'consents',`), to: '' }],
    tests: ['src/access/domain/key-area'],
  })),
  ...['analytics, marketing', 'marketing, preferences'].map((pair) => ({
    name: `export: swaps ${pair} in a visitor's PDF`,
    mutations: [
      {
        symbol: 'toExportRow',
        from: /\[analytics, marketing, preferences\]/,
        to: pair.startsWith('analytics')
          ? '[marketing, analytics, preferences]'
          : '[analytics, preferences, marketing]',
      },
    ],
    tests: ['test/consent/erasure.e2e'],
    only: 'as JSON and as PDF',
  })),
];
