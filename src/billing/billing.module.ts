import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { LicensingModule } from '../licensing/licensing.module.js';
import type { HttpMount } from '../shared/http-mount.js';
import { BillingService } from './application/billing.service.js';
import { CheckoutService } from './application/checkout.service.js';
import { EventWorker } from './application/event-worker.js';
import { ReceiveEvent } from './application/receive-event.js';
import { SubscriptionSync } from './application/subscription-sync.js';
import { BillingUpkeep } from './application/billing-upkeep.js';
import { BillingProcessor } from './application/billing.processor.js';
import { BillingController } from './http/billing.controller.js';
import { readWebhookBytes } from './http/webhook-bytes.js';
import { WebhookController } from './http/webhook.controller.js';
import { BILLING_QUEUE, BillingBell } from './infrastructure/billing.bell.js';
import { BillingEventStore } from './infrastructure/billing-event.store.js';
import { BillingMetrics } from './infrastructure/billing.metrics.js';
import { CheckoutStore } from './infrastructure/checkout.store.js';
import { PriceList } from './infrastructure/price-list.js';
import { StripeGateway } from './infrastructure/stripe-gateway.js';

/** Stripe's webhooks, subscriptions kept in sync with them, checkout and portal (design §6.4). */
@Module({})
export class BillingModule implements HttpMount {
  readonly bodyReader = readWebhookBytes();

  static forRoot({ runWorker }: { runWorker: boolean }): DynamicModule {
    const worker = runWorker ? [BillingProcessor] : [];
    return {
      module: BillingModule,
      imports: [BullModule.registerQueue({ name: BILLING_QUEUE }), LicensingModule],
      controllers: [WebhookController, BillingController],
      providers: [
        BillingBell,
        BillingEventStore,
        BillingMetrics,
        BillingService,
        BillingUpkeep,
        CheckoutService,
        CheckoutStore,
        EventWorker,
        PriceList,
        ReceiveEvent,
        StripeGateway,
        SubscriptionSync,
        ...worker,
      ],
    };
  }
}
