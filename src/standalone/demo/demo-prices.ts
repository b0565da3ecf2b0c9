import type { SoldPrice } from '../../billing/billing.settings.js';

/** Begins the id of each price of the demo, so that `database copy` recognizes them. */
export const DEMO_PRICE_PREFIX = 'price_demo_';

/** Prices that a signed webhook can name (docs/billing.md), unless the operator has set some. */
export const DEMO_PRICES: SoldPrice[] = (['pro', 'business'] as const).flatMap((tier) =>
  (['month', 'year'] as const).map((interval) => ({
    priceId: `${DEMO_PRICE_PREFIX}${tier}_${interval}`,
    tier,
    interval,
  })),
);
