import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type BillingSettings, billingSettings } from '../billing.settings.js';
import { messageOf } from '../domain/billing-message.js';
import { isOfOtherMode, actionFor, readEvent, type StripeEvent } from '../domain/stripe-event.js';
import { BillingEventStore } from '../infrastructure/billing-event.store.js';
import { BillingMetrics } from '../infrastructure/billing.metrics.js';
import { verifiedPayload } from '../infrastructure/stripe-gateway.js';

/** Stores each event once, with an outbox message if the event type is handled. */
@Injectable()
export class ReceiveEvent {
  private readonly logger = new Logger(ReceiveEvent.name);
  private said = false;

  constructor(
    private readonly store: BillingEventStore,
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly metrics: BillingMetrics,
    @InjectSettings(billingSettings) private readonly settings: BillingSettings,
  ) {}

  /**
   * A raw webhook (spec §4.4). When this returns, the event is committed.
   *
   * @throws DomainError the five `webhook_…` codes (400), or `billing_not_configured` without a
   * secret.
   */
  async fromWebhook(body: Buffer, signature: string | undefined, now: Date): Promise<void> {
    const { webhookSecrets } = this.settings;
    if (webhookSecrets.length === 0)
      throw new DomainError(
        'billing_not_configured',
        'No signing secret is configured. Set STRIPE_WEBHOOK_SECRETS.',
      );
    this.sayOnceHowEventsAreRead();
    const event = readEvent(verifiedPayload(body, signature, { secrets: webhookSecrets, now }));
    if (!event)
      throw new DomainError(
        'webhook_payload_invalid',
        'The signature is valid, but the body is not an event.',
      );
    await this.keep(event, body.toString('utf8'), 'webhook');
  }

  private sayOnceHowEventsAreRead(): void {
    if (this.said || this.settings.stripeSecretKey) return;
    this.said = true;
    this.logger.warn(
      'STRIPE_SECRET_KEY is not set: webhook payloads are trusted as sent and ordered by created',
    );
  }

  /** An event that the provider could not deliver; returns whether it is new. */
  async fromReconciliation(payload: unknown): Promise<boolean> {
    const event = readEvent(payload);
    return event !== null && this.keep(event, JSON.stringify(payload), 'reconciliation');
  }

  private async keep(event: StripeEvent, payload: string, source: string): Promise<boolean> {
    const foreign = isOfOtherMode(event, this.settings.stripeSecretKey);
    const status = actionFor(event.type) && !foreign ? 'pending' : 'ignored';
    const code = foreign ? 'livemode_mismatch' : null;
    const isNew = await this.em.fork().transactional(async (tx) => {
      const isFirst = await this.store.receive(tx, event, { payload, status, source, code });
      if (isFirst && status === 'pending') await this.outbox.append(tx, messageOf(event));
      return isFirst;
    });
    if (isNew && foreign)
      this.metrics.alert(
        'livemode_mismatch',
        'ignored a billing event of the other mode (test or live) than STRIPE_SECRET_KEY',
        { eventId: event.id, type: event.type },
      );
    this.metrics.count(event.type, isNew ? (status === 'ignored' ? 'ignored' : 'received') : 'duplicate');
    return isNew;
  }
}
