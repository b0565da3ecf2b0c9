import { Module } from '@nestjs/common';
import { LicensingModule } from '../licensing/licensing.module.js';
import { BillingService, CheckoutService } from './application/billing.service.js';
import { BillingEventHandler } from './application/billing-event-handler.js';
import { ReceiveEvent } from './application/receive-event.js';
import { SubscriptionSync } from './application/subscription-sync.js';
import { BillingMaintenance } from './application/billing-maintenance.js';
import { BillingEventStore } from './infrastructure/billing-event.store.js';
import { BillingMetrics } from './infrastructure/billing.metrics.js';
import { CheckoutStore } from './infrastructure/checkout.store.js';
import { PriceList } from './infrastructure/price-list.js';
import { StripeGateway } from './infrastructure/stripe-gateway.js';

/** Stripe's webhooks, subscriptions kept in sync with them, checkout and portal (design §6.4). */
@Module({
  imports: [LicensingModule],
  providers: [
    BillingEventHandler,
    BillingEventStore,
    BillingMetrics,
    BillingService,
    BillingMaintenance,
    CheckoutService,
    CheckoutStore,
    PriceList,
    ReceiveEvent,
    StripeGateway,
    SubscriptionSync,
  ],
  exports: [BillingService, ReceiveEvent],
})
export class BillingModule {}
