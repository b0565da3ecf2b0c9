import type { Planted } from '../planted.js';

const TALLY = 'src/modules/visits/domain/visit-tally';

/** Defects of `src/modules/visits`. */
export const VISITS: Planted[] = [
  ...['chosen', 'ignored'].map((decision) => ({
    name: `visits: counts an ${decision} banner again with each write of an hour`,
    mutations: [{ symbol: 'ProjectTally.take', from: new RegExp(`, ${decision}: 0`), to: '' }],
    tests: [TALLY],
  })),
  {
    name: 'visits: counts what was written before a write failed twice',
    mutations: [
      {
        symbol: 'VisitCounter.write',
        from: /\[\.\.\.failed, \.\.\.rows\.slice\(at \+ ROWS_PER_STATEMENT\)\]/,
        to: 'rows',
      },
    ],
    tests: ['test/visits/visits.e2e'],
    only: 'counts nothing twice',
  },
];
