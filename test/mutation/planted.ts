import type { Mutation } from '../support/mutation.js';

/** A defect that somebody could make, and the tests that must notice it. */
export interface Planted {
  name: string;
  mutations: Mutation[];
  /** Files, as Jest is given them. */
  tests: string[];
  /** Another configuration of Jest's than that of `npm test`. */
  config?: string;
  /** Pattern of the tests' names. */
  only?: string;
}

const UPKEEP = 'test/operations/upkeep';

export const PLANTED: Planted[] = [
  {
    name: 'retention: drops a month early',
    mutations: [{ symbol: 'retentionStart', from: /-retentionMonths/, to: '1 - retentionMonths' }],
    tests: ['src/consent/domain/retention', UPKEEP],
  },
  {
    name: 'retention: upkeep never drops records',
    mutations: [
      {
        symbol: 'ConsentPartitions.onModuleInit',
        from: /await this\.dropExpired\(now\);/,
        to: '',
      },
    ],
    tests: [UPKEEP],
  },
];
