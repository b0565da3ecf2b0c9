import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { SettingsError } from '../../../platform/settings/declare-settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type BillingSettings, billingSettings } from '../billing.settings.js';
import { BillingPrice } from './billing.entities.js';
import type { PriceMeaning } from '../domain/stripe-subscription.js';

/**
 * Prices with their tiers: STRIPE_PRICES, and every price that was ever in it. A price that is no
 * longer sold stays known, because old subscriptions use it.
 */
@Injectable()
export class PriceList implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    @InjectSettings(billingSettings) private readonly settings: BillingSettings,
  ) {}

  /** @throws SettingsError if STRIPE_PRICES changes the meaning of a known price. */
  async onModuleInit(): Promise<void> {
    const { prices } = this.settings;
    if (prices.length === 0) return;
    const sold = prices.map(({ priceId, tier, interval }) => ({ priceId, tier, interval }));
    await this.em.fork().upsertMany(BillingPrice, sold, { onConflictAction: 'ignore' });
    const known = await this.read();
    for (const { priceId, tier, interval } of prices) {
      const before = known.get(priceId);
      if (before?.tier === tier && before.interval === interval) continue;
      throw new SettingsError(
        `STRIPE_PRICES changes the meaning of ${priceId}, which was ${before?.tier}:${before?.interval}. ` +
          'Create a new price at Stripe instead: subscriptions with the old price must keep their tier.',
      );
    }
  }

  /**
   * All known prices, by id. They are few, and read each time because another process may have added some.
   */
  async read(): Promise<Map<string, PriceMeaning>> {
    const rows = await this.em.fork().findAll(BillingPrice);
    return new Map(rows.map(({ priceId, tier, interval }) => [priceId, { tier, interval }]));
  }

  /** The price that is currently sold for a tier; undefined without one. */
  sold(tier: string, interval: string): string | undefined {
    return this.settings.prices.find((price) => price.tier === tier && price.interval === interval)?.priceId;
  }
}
