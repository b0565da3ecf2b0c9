import type { SoldPrice } from '../../modules/billing/billing.settings.js';

/** Prefix of the id of each demo price, so that `database copy` recognizes them. */
export const DEMO_PRICE_PREFIX = 'price_demo_';

/** Prices that a signed webhook can name (docs/billing.md), unless the operator has set some. */
export const DEMO_PRICES: SoldPrice[] = (['pro', 'business'] as const).flatMap((tier) =>
  (['month', 'year'] as const).map((interval) => ({
    priceId: `${DEMO_PRICE_PREFIX}${tier}_${interval}`,
    tier,
    interval,
  })),
);
