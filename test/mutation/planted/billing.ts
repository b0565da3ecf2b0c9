import type { Planted } from '../planted.js';

const SYNC = 'test/billing/billing-sync';

/** Defects of `src/modules/billing` and `src/modules/licensing`. */
export const BILLING: Planted[] = [
  {
    name: 'licensing: a sweep does one batch',
    mutations: [
      { symbol: 'TierSweeper.sweep', from: /if \(swept < TIER_SWEEP_BATCH_MAX\) break;/, to: 'break;' },
    ],
    tests: ['test/licensing/licensing-sweeper'],
    only: 'goes on to the next batch',
  },
  {
    name: 'billing: does not read the mode of a restricted key',
    mutations: [{ symbol: 'isOfOtherMode', from: /\[sr\]k_/, to: 'sk_' }],
    tests: ['src/modules/billing/domain/stripe-payload'],
    only: 'of the other mode',
  },
  {
    name: 'billing: goes on with the customer of an old subscription',
    mutations: [
      {
        symbol: 'BillingService.knownCustomerOf',
        from: /if \(customer\) return customer\.customerId \?\? null;/,
        to: 'if (customer?.customerId) return customer.customerId;',
      },
    ],
    tests: [SYNC],
    only: 'whose customer is deleted',
  },
  {
    name: 'billing: asks for the deleted customer once more',
    mutations: [{ symbol: 'BillingService.customerOf', from: /:\$\{generation\}/, to: '' }],
    tests: [SYNC],
    only: 'whose customer is deleted',
  },
];
