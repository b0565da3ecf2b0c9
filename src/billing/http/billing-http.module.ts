import { Module } from '@nestjs/common';
import type { HttpMount } from '../../http/http-mount.js';
import { BillingModule } from '../billing.module.js';
import { BillingController } from './billing.controller.js';
import { readWebhookBytes } from './webhook-bytes.js';
import { WebhookController } from './webhook.controller.js';

/** The routes of billing, and what reads the bodies of Stripe's webhooks. */
@Module({ imports: [BillingModule], controllers: [WebhookController, BillingController] })
export class BillingHttpModule implements HttpMount {
  readonly bodyReader = readWebhookBytes();
}
